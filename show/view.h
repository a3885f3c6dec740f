/* view.h: a page that shows a program and its transformer at work, and runs inputs itself.
 *
 * It is show/view/ (HTML, CSS and plain JavaScript), the palette, and a document of data in one
 * file, which needs nothing from outside.  What the document holds is said in cli/view_data.h,
 * which makes it; show/view/main.js reads it. */
#ifndef RASP_SHOW_VIEW_H
#define RASP_SHOW_VIEW_H

#include <stdio.h>

/* `data` is JSON: text in which `<` stands within strings alone. */
void view_write(FILE *out, const char *title, const char *data);

#endif
