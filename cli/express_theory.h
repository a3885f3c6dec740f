/* express_theory.h: what is proved of attention layers for all lengths, with sources. */
#ifndef RASP_CLI_EXPRESS_THEORY_H
#define RASP_CLI_EXPRESS_THEORY_H

void express_theory(void);

#endif
