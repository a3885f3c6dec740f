#include "cli/paths.h"

#include "base/near.h"
#include "cli/command.h"
#include "cli/report.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".rasp"

enum { FOLDERS_DEEP = 16 }; /* symbolic links may make a circle */

/* "FOLDER/NAME". */
static const char *join(Arena *arena, const char *folder, const char *name) {
    size_t length = strlen(folder);
    bool slash = length && folder[length - 1] == '/';
    return arena_format(arena, "%s%s%s", folder, slash ? "" : "/", name);
}

/* Something that is no folder; a link that leads nowhere is for whoever reads it to report. */
static bool is_file(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) return lstat(path, &info) == 0;
    return !S_ISDIR(info.st_mode);
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* --- the bundled programs --------------------------------------------------------------- */

/* The folder of the binary, or NULL. */
static const char *binary_folder(Arena *arena) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return NULL;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    return arena_text(arena, path, (size_t)(slash - path));
}

/* The folder of lib.rasp, or NULL; the places that were tried are in *tried, for a message. */
static const char *programs_folder(Arena *arena, const char **tried) {
    static const char *const beside[] = {"../share/rasp/programs", "../programs", "../../programs"};
    const char *folder = binary_folder(arena), *list = "";
    for (size_t k = 0; k <= sizeof beside / sizeof *beside; k++) {
        bool last = k == sizeof beside / sizeof *beside;
        if (!last && !folder) continue;
        const char *path =
            last ? RASP_PREFIX "/share/rasp/programs" : join(arena, folder, beside[k]);
        if (is_file(join(arena, path, "lib" SUFFIX))) {
            char *real = realpath(path, NULL);
            if (real) path = arena_text(arena, real, strlen(real));
            free(real);
            return path;
        }
        list = arena_format(arena, "%s%s%s", list, *list ? ", " : "", path);
    }
    *tried = list;
    return NULL;
}

/* --- programs below a folder ------------------------------------------------------------ */

typedef struct Found {
    Arena *arena;
    const char **path; /* relative to the folder that was walked */
    size_t count, capacity;
} Found;

static bool has_suffix(const char *name) {
    size_t length = strlen(name), suffix = strlen(SUFFIX);
    return length > suffix && strcmp(name + length - suffix, SUFFIX) == 0;
}

static void add_path(Found *found, const char *path) {
    found->path = arena_grow(found->arena, found->path, &found->capacity, found->count + 1,
                             sizeof *found->path);
    found->path[found->count++] = path;
}

/* Every program below folder/prefix. */
static void walk(Found *found, const char *folder, const char *prefix, int level) {
    DIR *dir = level < FOLDERS_DEEP ? opendir(join(found->arena, folder, prefix)) : NULL;
    if (!dir) return;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.') continue;
        const char *below = *prefix
                                ? join(found->arena, prefix, entry->d_name)
                                : arena_text(found->arena, entry->d_name, strlen(entry->d_name));
        const char *whole = join(found->arena, folder, below);
        if (is_folder(whole))
            walk(found, folder, below, level + 1);
        else if (has_suffix(below))
            add_path(found, below);
    }
    closedir(dir);
}

static int compare_paths(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static Found programs_below(Arena *arena, const char *folder) {
    Found found = {.arena = arena};
    walk(&found, folder, "", 0);
    if (found.count) qsort(found.path, found.count, sizeof *found.path, compare_paths);
    return found;
}

/* Does `name` say `path`, its last parts, or either without the suffix? */
static bool names(const char *name, const char *path) {
    size_t length = strlen(path), size = strlen(name);
    if (!has_suffix(name)) length -= strlen(SUFFIX);
    if (size > length || memcmp(path + length - size, name, size) != 0) return false;
    return size == length || path[length - size - 1] == '/';
}

/* --- looking a name up ------------------------------------------------------------------ */

typedef struct Lookout {
    Arena *arena;
    const char *name;
    const char *match;   /* the path that fits */
    const char *several; /* or a list of those that do */
    Found all;           /* names of all programs seen, for near misses */
} Lookout;

/* Looks below one folder; true if the name fits something there. */
static bool look_below(Lookout *look, const char *folder, bool bundled) {
    Found found = programs_below(look->arena, folder);
    for (size_t k = 0; k < found.count; k++) {
        const char *path = found.path[k], *slash = strrchr(path, '/');
        if (bundled && !slash) continue; /* the library itself */
        const char *base = slash ? slash + 1 : path;
        add_path(&look->all, arena_text(look->arena, base, strlen(base) - strlen(SUFFIX)));
        if (!names(look->name, path)) continue;
        const char *whole = join(look->arena, folder, path);
        look->several =
            look->match ? arena_format(look->arena, "%s, %s", look->several, whole) : whole;
        look->match = whole;
    }
    return look->match != NULL;
}

static bool look_in_path(Lookout *look) {
    const char *list = getenv("RASP_PATH");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        const char *folder = arena_text(look->arena, list, length);
        if (length && look_below(look, folder, false)) return true;
        list += length + (list[length] == ':');
    }
    return false;
}

static const char *as_file(Arena *arena, const char *name) {
    if (is_file(name)) return arena_text(arena, name, strlen(name));
    const char *longer = arena_format(arena, "%s" SUFFIX, name);
    return is_file(longer) ? longer : NULL;
}

static Lookout look_for(Arena *arena, const char *name) {
    Lookout look = {.arena = arena, .name = name, .all = {.arena = arena}};
    const char *tried, *bundled = programs_folder(arena, &tried);
    if (*name && name[0] != '/' && !look_in_path(&look) && bundled)
        look_below(&look, bundled, true);
    return look;
}

const char *const *paths_loadable(Arena *arena, size_t *count) {
    Lookout look = look_for(arena, "\n"); /* fits nothing, so all folders are looked through */
    *count = look.all.count;
    return look.all.path;
}

/* The one path that fits, or NULL; several are reported. */
static const char *single(const Lookout *look) {
    if (!look->match || look->several == look->match) return look->match;
    report_error("several programs are called '%s': %s", look->name, look->several);
    return NULL;
}

const char *paths_look_for(Arena *arena, const char *name) {
    const char *file = as_file(arena, name);
    if (file) return file;
    Lookout look = look_for(arena, name);
    return look.several == look.match ? look.match : NULL;
}

bool paths_has_program(Arena *arena, const char *name) {
    return as_file(arena, name) || look_for(arena, name).match;
}

const char *paths_find_program(Arena *arena, const char *name) {
    const char *file = as_file(arena, name);
    if (file) return file;
    Lookout look = look_for(arena, name);
    if (look.match) return single(&look);
    if (is_folder(name))
        report_error("'%s' is a folder, expected a program", name);
    else
        report_error("no program '%s' here, in RASP_PATH or among the bundled ones%s", name,
                     near_words(arena, name, look.all.path, look.all.count));
    return NULL;
}

const char paths_places[] = "RASP_PATH or among the bundled programs";

char *paths_find_loaded(void *context, const char *name) {
    (void)context;
    Lookout look = look_for(command_arena(), name);
    const char *path = single(&look);
    return path ? strdup(path) : NULL;
}

/* --- all that is bundled ------------------------------------------------------------------ */

static const char *bundled_folder(Arena *arena) {
    const char *tried, *folder = programs_folder(arena, &tried);
    if (!folder) report_error("no bundled programs: there is no 'lib" SUFFIX "' in %s", tried);
    return folder;
}

const char *const *paths_programs(Arena *arena, size_t *count) {
    const char *folder = bundled_folder(arena);
    if (!folder) return NULL;
    Found found = programs_below(arena, folder);
    *count = 0;
    for (size_t k = 0; k < found.count; k++)
        if (strchr(found.path[k], '/')) /* not the library itself */
            found.path[(*count)++] = join(arena, folder, found.path[k]);
    return found.path;
}

const char *paths_bundled(Arena *arena, const char *name) {
    const char *folder = bundled_folder(arena);
    return folder ? join(arena, folder, name) : NULL;
}
