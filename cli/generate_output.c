#include "cli/generate_output.h"

#include "cli/circuit.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/json_values.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/safe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- a folder --------------------------------------------------------------------------- */

/* A number's files sort as numbers do. */
static const char *file_of(const Library *l, uint64_t number, const char *suffix) {
    return arena_format(command_arena(), "%s/%06llu.%s", l->folder, (unsigned long long)number,
                        suffix);
}

/* Several pieces may share a folder. */
static const char *index_of(const Library *l, Shard shard) {
    if (!shard.of) return arena_format(command_arena(), "%s/programs.jsonl", l->folder);
    return arena_format(command_arena(), "%s/programs.%u-of-%u.jsonl", l->folder, shard.number + 1,
                        shard.of);
}

static bool make_folder(const char *folder) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
    report_error("cannot make the folder '%s': %s", folder, strerror(errno));
    return false;
}

int library_open(Library *l, Shard shard) {
    const char *path = l->lines;
    if (!l->folder && !path) return EXIT_FINE;
    if (l->folder && !make_folder(l->folder)) return EXIT_FAILED;
    if (l->folder) path = index_of(l, shard);
    l->index = !l->folder && output_is_standard(path) ? stdout : fopen(path, "w");
    if (l->index) return EXIT_FINE;
    report_error("cannot write '%s': %s", path, strerror(errno));
    return EXIT_FAILED;
}

static int save_text(const char *path, const char *text) {
    Output *output = output_open(path);
    if (!output) return EXIT_FAILED;
    fputs(text, output->file);
    return output_close(output);
}

static int save_files(const Library *l, const Made *m) {
    RaspError error;
    int status = save_text(file_of(l, m->number, "rasp"), m->text);
    if (status == EXIT_FINE && !rasp_model_save(m->model, file_of(l, m->number, "bin"), &error))
        status = report_failure(&error);
    if (status == EXIT_FINE) status = circuit_save(m->model, file_of(l, m->number, "json"));
    return status;
}

/* --- lines ------------------------------------------------------------------------------ */

/* RFC 4648 */
static char *base64(const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *text = malloc(size / 3 * 4 + 5), *to = text;
    for (size_t k = 0; text && k < size; k += 3) {
        unsigned left = size - k < 3 ? (unsigned)(size - k) : 3;
        unsigned word = (unsigned)bytes[k] << 16;
        if (left > 1) word |= (unsigned)bytes[k + 1] << 8;
        if (left > 2) word |= bytes[k + 2];
        for (unsigned d = 0; d < 4; d++)
            *to++ = d <= left ? digits[word >> (18 - 6 * d) & 63] : '=';
    }
    if (text) *to = '\0';
    return text;
}

static int put_weights(Json *j, const RaspModel *model) {
    RaspError error;
    unsigned char *bytes;
    size_t size;
    if (!rasp_model_bytes(model, &bytes, &size, &error)) return report_failure(&error);
    char *text = base64(bytes, size);
    if (text) json_text(j, "weights", text);
    rasp_free(bytes);
    free(text);
    if (!text) report_error("out of memory for the weights");
    return text ? EXIT_FINE : EXIT_FAILED;
}

static int put_circuit(Json *j, RaspModel *model) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int status = out ? circuit_write(model, out, false) : EXIT_FAILED;
    if (out && fclose(out) != 0) status = EXIT_FAILED;
    if (status == EXIT_FINE) {
        text[strcspn(text, "\n")] = '\0';
        json_ready(j, "circuit", text);
    }
    free(text);
    return status;
}

static void put_names(Json *j, const Library *l, const Made *m) {
    static const char *const names[][2] = {
        {"program_file", "rasp"}, {"weights_file", "bin"}, {"circuit_file", "json"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        json_text(j, names[k][0], strrchr(file_of(l, m->number, names[k][1]), '/') + 1);
}

static int put_line(const Library *l, const Made *m, FILE *out) {
    const RaspModelInfo *info = rasp_model_info(m->model);
    Json j = {.out = out};
    int status = EXIT_FINE;
    json_begin_object(&j, NULL);
    json_number(&j, "number", "%llu", (unsigned long long)m->number);
    json_text(&j, "seed", arena_format(command_arena(), "%llu", (unsigned long long)m->seed));
    json_text(&j, "program", m->text);
    json_count(&j, "layers", m->info.layers);
    json_count(&j, "heads", m->info.heads);
    json_count(&j, "steps", m->info.steps);
    json_text(&j, "behaviour",
              arena_format(command_arena(), "%016llx", (unsigned long long)m->info.behaviour));
    json_atoms(&j, "alphabet", info->alphabet, info->alphabet_size);
    json_count(&j, "max_length", info->max_length);
    json_count(&j, "model_heads", info->heads);
    json_count(&j, "parameters", info->parameters);
    json_number(&j, "certified_error", "%g", info->certified);
    if (l->folder)
        put_names(&j, l, m);
    else if ((status = put_weights(&j, m->model)) == EXIT_FINE)
        status = put_circuit(&j, m->model);
    json_end(&j);
    return status;
}

/* --- one -------------------------------------------------------------------------------- */

static void print_source(const Made *m) {
    const RaspModelInfo *info = rasp_model_info(m->model);
    printf("# %llu: %u layers, %u heads, seed %llu; %zu parameters, error at most %.3g\n%s\n",
           (unsigned long long)m->number, m->info.layers, m->info.heads,
           (unsigned long long)m->seed, info->parameters, info->certified, m->text);
}

/* Made as a whole, so that a stop leaves no half of it. */
static int add_line(const Library *l, const Made *m) {
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    int status = out ? put_line(l, m, out) : EXIT_FAILED;
    if (out && fclose(out) != 0) status = EXIT_FAILED;
    if (status == EXIT_FINE) {
        fwrite(line, 1, size, l->index);
        fflush(l->index);
    }
    free(line);
    if (l->index == stdout && report_output_failed()) return EXIT_FAILED;
    if (status != EXIT_FINE || l->index == stdout || !ferror(l->index)) return status;
    report_error("cannot write the lines: %s", strerror(errno));
    return EXIT_FAILED;
}

int library_add(Library *l, const Made *m) {
    int status = l->folder ? save_files(l, m) : EXIT_FINE;
    if (status != EXIT_FINE) return status;
    if (l->index) return add_line(l, m);
    print_source(m);
    return report_output_failed() ? EXIT_FAILED : EXIT_FINE;
}

int library_close(Library *l) {
    if (!l->index || l->index == stdout || fclose(l->index) == 0) return EXIT_FINE;
    report_error("cannot write the lines: %s", strerror(errno));
    return EXIT_FAILED;
}
