"""Threads, memory, and where the package is."""

import copy
import gc
import multiprocessing
import os
import pickle
import threading

import rasp
from conftest import LONG


def in_threads(work, count=8):
    """Runs work(k) in threads at once; what one raises is raised."""
    raised = []

    def guarded(k):
        try:
            work(k)
        except BaseException as reason:
            raised.append(reason)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]


def test_one_model_in_many_threads():
    m = rasp.Program("sort").compile(alphabet="abc", max_length=6)
    inputs = ["cabcab"[k % 3 :][: 1 + k % 5] for k in range(50)]
    wanted = [sorted(text) for text in inputs]

    def work(k):
        for _ in range(3):
            assert m.batch(inputs) == wanted
            assert [m(text) for text in inputs] == wanted
            assert m.trace("cab").outputs["sorted"] == list("abc")

    in_threads(work)


def test_one_program_in_many_threads():
    p = rasp.Program("sort")

    def work(k):
        m = p.compile(alphabet="abcd"[: 2 + k % 3], max_length=4)
        assert m("ba") == p("ba") == ["a", "b"] and m.check()

    in_threads(work)


def test_handles_that_die_in_other_threads():
    p = rasp.Program("histogram")
    made = [p.compile(alphabet="ab", max_length=3) for _ in range(8)]

    def work(k):
        for _ in range(2):
            assert p("aab") == [2, 2, 1]
            if made:
                made.pop()
            gc.collect()
            p.compile(alphabet="ab", max_length=3)

    in_threads(work)


def test_pickled_and_copied():
    """As joblib, multiprocessing and the like hand them on."""
    p = rasp.Program("histogram")
    m = p.compile(alphabet="ab", max_length=3)
    for again in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert again("aab") == [2, 2, 1] and again.tobytes() == m.tobytes()
        assert again.circuit.document == m.circuit.document and again.program("aab") == [2, 2, 1]
    trace = pickle.loads(pickle.dumps(m.trace("aab")))
    assert trace.outputs == m.trace("aab").outputs
    own = rasp.Program("y = indices;", sop="y + 1")
    for program in (p, again.program, own, rasp.random_program(3)):
        found = pickle.loads(pickle.dumps(program))
        assert (found.text, found.name) == (program.text, program.name)
        assert found("ab") == program("ab") and found.random == program.random


def test_after_a_fork():
    """A child has what its parent made, and goes on with it."""
    p = rasp.Program("sort")
    m = p.compile(alphabet="abc", max_length=4)
    m.batch(["cab"] * 5000)

    def work(queue):
        queue.put((m.batch(["cab"] * 5000)[-1], p("cab"), bool(m.check()), p.compile()("ba")))

    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=work, args=(queue,))
    child.start()
    try:
        assert queue.get(timeout=60) == (list("abc"), list("abc"), True, ["a", "b"])
    finally:
        child.kill()


def test_any_order_of_ends():
    p = rasp.Program("histogram")
    m = p.compile(alphabet="ab", max_length=3)
    c, embedded = m.circuit, rasp.load(_saved(m)).program
    del p
    gc.collect()
    assert m("aab") == [2, 2, 1] and m.program("aab") == [2, 2, 1] and m.check()
    del m
    gc.collect()
    assert c.nodes and embedded("aab") == [2, 2, 1]


def _saved(model):
    import tempfile

    path = os.path.join(tempfile.mkdtemp(), "w.bin")
    model.save(path)
    return path


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_nothing_is_left_of_many_compiles():
    """Programs, models and runs of them: as much memory after all of them as after a few."""
    count = 10000 if LONG else 100

    def one():
        p = rasp.Program("y = selector_width(select(tokens, tokens, ==));")
        m = p.compile(alphabet="ab", max_length=3)
        assert m("aab") == [2, 2, 1]
        try:
            rasp.Program("y = ;")
        except rasp.ProgramError:
            pass
        return m

    for _ in range(200 if LONG else 60):
        one()
    before = resident()
    for _ in range(count):
        one()
    gc.collect()
    grown = resident() - before
    print(f"{count} compiles: {grown / 1e6:.2f} MB more")  # pytest -s
    assert grown < 4e6


def test_all_public_headers_are_bound():
    """What they declare is in the library."""
    from rasp._lib import lib

    names = dir(lib)
    for function in ("rasp_random_program", "rasp_repl_new", "rasp_word", "rasp_verify_claims"):
        assert function in names
    assert all(getattr(lib, name) is not None for name in names)


def test_the_package_alone():
    """Nothing of it is in the project's folder; the programs and the command are in it."""
    folder = os.path.dirname(os.path.abspath(rasp.__file__))
    assert not os.path.exists(os.path.join(os.path.dirname(folder), "Makefile"))
    assert os.path.isfile(os.path.join(folder, "librasp.so"))
    assert os.access(os.path.join(folder, "bin", "rasp"), os.X_OK)
    assert os.path.isfile(os.path.join(folder, "py.typed"))
    assert len(rasp.bundled()) >= 95 and rasp.__version__
    assert all(path.startswith(folder) for path in rasp.bundled().values())
