/* play.h: a model made ready to give columns: tokens in, the values of chosen outputs out, the
 * domain of the file checked before. */
#ifndef RASP_CLI_PLAY_H
#define RASP_CLI_PLAY_H

#include "cli/program.h"
#include "cli/runner.h"

#include "runtime/forward.h"

typedef struct Player {
    Program *program; /* its session interns; where the domain has an s-op, it is this program's */
    const Model *model;
    Engine *engine;
    const Atom **values;   /* by output of the model and index */
    const size_t *outputs; /* the chosen ones */
    size_t output_count;
    int32_t first; /* the domain */
    NodeId where;
    const char *where_text;
    RunResult result; /* of the last input */
} Player;

/* Everything but the engine, which is set already, lives with the program; player_clear frees
 * the engine and the last result. */
bool player_init(Player *player, Program *program, const Model *model, RtError *error);
void player_clear(Player *player);

/* For a Runner. */
Machine player_machine(Player *player);

/* The number that the engine knows the token by. */
bool player_token(const Player *player, Atom token, size_t *id, RtError *error);
/* Does an input that starts so belong to the domain? */
bool player_accepts_first(const Player *player, size_t id, RtError *error);
Atom player_value(const Player *player, size_t output, const Reading *reading);

#endif
