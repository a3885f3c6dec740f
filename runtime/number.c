#include "runtime/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* snprintf puts the locale's decimal point, of one or more bytes, after the leading digits; only
 * the C spelling is wanted. */
static void set_point(char *text) {
    char *at = text + strspn(text, "+-0123456789");
    if (*at == '\0' || *at == 'e' || *at == 'i' || *at == 'n') return;
    char *rest = at + strcspn(at, "0123456789");
    *at = '.';
    memmove(at + 1, rest, strlen(rest) + 1);
}

int rt_number_text(double x, char buf[static RT_NUMBER_MAX]) {
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buf, RT_NUMBER_MAX, "%.*g", digits, x);
        if (strtod(buf, NULL) == x) break; /* in the locale it was written in */
    }
    set_point(buf);
    if (!strpbrk(buf, ".ein")) strcat(buf, ".0");
    return (int)strlen(buf);
}
