/* The one C++ file: CaDiCaL's class behind solver.h.  No exception leaves it, and `stop` never
 * jumps: a longjmp through C++ frames would skip their destructors. */
#include "express/solver.h"

#include <cadical.hpp>

#include <new>

struct Solver : CaDiCaL::Terminator {
    CaDiCaL::Solver cadical;
    bool (*stop)(void *) = nullptr;
    void *context = nullptr;
    bool broken = false;

    bool terminate() override { return stop && stop(context); }

    template <typename Body> void guarded(Body body) {
        if (broken) return;
        try {
            body();
        } catch (const std::bad_alloc &) {
            broken = true;
        }
    }
};

Solver *solver_new(void) {
    try {
        Solver *solver = new Solver;
        solver->cadical.set("quiet", 1);
        /* What need not be true is false: fewer selected literals, so that a layer is a rule. */
        solver->cadical.set("phase", 0);
        return solver;
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void solver_free(Solver *solver) {
    delete solver;
}

void solver_stop_when(Solver *solver, bool (*stop)(void *), void *context) {
    solver->stop = stop;
    solver->context = context;
    solver->cadical.connect_terminator(solver);
}

/* CaDiCaL's own setting for satisfiable formulas: long phases without restarts. */
void solver_hopeful(Solver *solver) {
    solver->cadical.configure("sat");
}

bool solver_proof(Solver *solver, const char *path) {
    solver->cadical.set("binary", 0);
    return solver->cadical.trace_proof(path);
}

void solver_add(Solver *solver, int literal) {
    solver->guarded([=] { solver->cadical.add(literal); });
}

void solver_assume(Solver *solver, int literal) {
    solver->guarded([=] { solver->cadical.assume(literal); });
}

SolverAnswer solver_solve(Solver *solver) {
    int answer = 0;
    solver->guarded([&] { answer = solver->cadical.solve(); });
    return answer == 10 ? SOLVER_YES : answer == 20 ? SOLVER_NO : SOLVER_STOPPED;
}

bool solver_out_of_memory(const Solver *solver) {
    return solver->broken;
}

bool solver_value(Solver *solver, int literal) {
    return solver->cadical.val(literal) > 0;
}

bool solver_failed(Solver *solver, int literal) {
    return solver->cadical.failed(literal);
}
