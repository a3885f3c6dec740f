/* lab.h: the lab's door: claims about attention, each a measurement beside what is known otherwise.
 *
 * The command line includes this and no other header of the room. */
#ifndef RASP_LAB_LAB_H
#define RASP_LAB_LAB_H

#include "lab/ask.h"
#include "lab/item.h"
#include "lab/notebook.h"
#include "lab/plot_svg.h"
#include "lab/report.h"

#endif
