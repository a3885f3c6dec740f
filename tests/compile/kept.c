/* kept.c: what of a weights file stays as it was when descriptions are added to it.
 *
 *     kept FILE
 *
 * prints three lines of text, and behind them the bytes of the tensors: the header without its
 * metadata, the document's format, and the document without the keys that only describe places
 * (`added`).  Numbers have six digits: the last ones of bounds depend on the C library.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const added[] = {"span", "spans", "first_unit", "clears"};

static _Noreturn void die(const char *what) {
    fprintf(stderr, "kept: %s\n", what);
    exit(2);
}

static void strip(json_t *value) {
    const char *key;
    json_t *entry;
    void *next;
    size_t index;
    for (size_t k = 0; k < sizeof added / sizeof *added; k++) json_object_del(value, added[k]);
    json_object_foreach_safe(value, next, key, entry) strip(entry);
    json_array_foreach(value, index, entry) strip(entry);
}

static void put(const json_t *value) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(6) | JSON_ENCODE_ANY);
    if (!text) die("out of memory");
    puts(text);
    free(text);
}

static char *read_all(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) die("cannot open the file");
    char *bytes = NULL;
    for (*size = 0;;) {
        bytes = realloc(bytes, *size + 65536);
        if (!bytes) die("out of memory");
        size_t got = fread(bytes + *size, 1, 65536, file);
        if (got == 0) break;
        *size += got;
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv) {
    if (argc != 2) die("one file, please");
    size_t size;
    char *bytes = read_all(argv[1], &size);
    uint64_t length;
    if (size < sizeof length) die("not a weights file");
    memcpy(&length, bytes, sizeof length); /* little-endian machines only, as the tests are */
    if (length > size - sizeof length) die("not a weights file");
    json_t *header = json_loadb(bytes + sizeof length, length, 0, NULL);
    json_t *metadata = json_object_get(header, "__metadata__");
    const char *model = json_string_value(json_object_get(metadata, "model"));
    json_t *document = model ? json_loads(model, 0, NULL) : NULL;
    if (!document) die("no model in the metadata");
    strip(document);
    json_t *format = json_incref(json_object_get(metadata, "format"));
    json_object_del(header, "__metadata__");
    put(header);
    put(format);
    put(document);
    size_t start = sizeof length + length;
    fwrite(bytes + start, 1, size - start, stdout);
    json_decref(format);
    json_decref(document);
    json_decref(header);
    free(bytes);
    return 0;
}
