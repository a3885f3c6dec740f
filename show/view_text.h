/* view_text.h: what every page of view.h is made of, embedded from show/view/ by show/embed. */
#ifndef RASP_SHOW_VIEW_TEXT_H
#define RASP_SHOW_VIEW_TEXT_H

extern const char view_style[], view_body[], view_script[];

#endif
