#include "runtime/number.h"

#include "base/shortest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* snprintf puts the locale's decimal point, of one or more bytes, after the leading digits; only
 * the C spelling is wanted. */
static void set_point(char *text) {
    char *at = text + strspn(text, "+-0123456789");
    if (*at == '\0' || *at == 'e') return;
    char *rest = at + strcspn(at, "0123456789");
    *at = '.';
    memmove(at + 1, rest, strlen(rest) + 1);
}

/* Up to here, and down to 1e-5, a number is written without exponent: 100.0, not 1e+02. */
enum { PLAIN_BELOW = 16, PLAIN_FROM = -5 };

int rt_number_text(double x, char buf[static RT_NUMBER_MAX]) {
    int length = shortest_text(x, buf), digits = 0; /* after the first */
    if (length > 0) return length;
    do {
        snprintf(buf, RT_NUMBER_MAX, "%.*e", digits, x);
    } while (strtod(buf, NULL) != x && ++digits < 17); /* in the locale it was written in */
    int exponent = atoi(strchr(buf, 'e') + 1), places = digits - exponent;
    if (PLAIN_FROM <= exponent && exponent < PLAIN_BELOW)
        snprintf(buf, RT_NUMBER_MAX, "%.*f", places > 0 ? places : 0, x);
    set_point(buf);
    if (!strpbrk(buf, ".e")) strcat(buf, ".0");
    return (int)strlen(buf);
}
