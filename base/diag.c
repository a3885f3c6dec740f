#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>

void diag_report(const DiagSink *sink, const SourceMap *map, const Diag *diag) {
    if (sink && sink->report) sink->report(sink->context, map, diag);
}

void diag_error(const DiagSink *sink, const SourceMap *map, Span span, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diag_report(sink, map, &(Diag){.severity = DIAG_ERROR, .span = span, .message = message});
}
