/* page.h: a picture as a page of its own, for a browser; nothing from outside. */
#ifndef RASP_SHOW_PAGE_H
#define RASP_SHOW_PAGE_H

#include <stdio.h>

/* `svg` is a whole picture, as svg.h writes it. */
void page_write(FILE *out, const char *title, const char *svg);

#endif
