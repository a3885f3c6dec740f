"""Random programs, and the stream of them: what `rasp generate` writes."""

import base64
import itertools
import json
import subprocess
import sys
import warnings

import pytest

import rasp

SHAPES = [
    dict(),
    dict(layers=1),
    dict(layers=3, heads=4),
    dict(steps=6, alphabet="01", max_length=5),
    dict(alphabet=["hi", "you"], max_length=4, dtype="f64"),
]


def commanded(count, seed, **options):
    """The lines of `rasp generate --jsonl -`."""
    words = []
    for name, value in options.items():
        value = json.dumps(value) if isinstance(value, list) else value
        words.append(f"--{name.replace('_', '-')}={value}")
    ran = subprocess.run(
        [sys.executable, "-m", "rasp", "generate", f"--count={count}", f"--seed={seed}", *words]
        + ["--jsonl", "-"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("options", SHAPES, ids=range(len(SHAPES)))
def test_the_stream_is_that_of_the_command(options):
    """To the byte: sources, weights, circuits, numbers."""
    lines = commanded(4, 5, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nobody wrote these programs
        samples = list(rasp.generate(4, seed=5, **options))
    assert len(samples) == len(lines) > 0
    for (program, model, circuit), line in zip(samples, lines):
        assert program.text == line["program"] and program.name == f"{line['number']:06}.rasp"
        assert model.tobytes() == base64.b64decode(line["weights"])
        assert circuit.document == line["circuit"]
        known = program.random
        assert (str(known.seed), f"{known.behaviour:016x}") == (line["seed"], line["behaviour"])
        assert [known.layers, known.heads, known.steps] == [
            line[key] for key in ("layers", "heads", "steps")
        ]


def test_programs_are_what_was_asked_for():
    shapes = [(1, None), (1, 2), (2, None), (2, 3), (3, None), (3, 4)]
    for seed, (layers, heads) in itertools.product(range(3), shapes):
        p = rasp.random_program(seed, layers=layers, heads=heads)
        found = p.layers()
        assert found.count == p.random.layers == layers and p.random.seed == seed
        assert len(found.heads) == p.random.heads and heads in (None, p.random.heads)
        assert p.text.count(";") == p.random.steps <= 4 + 4 * layers
        assert p.settings == {"alphabet": "abcd", "max-length": "8"}
        again = rasp.random_program(seed, layers=layers, heads=heads)
        assert again.text == p.text and again.random == p.random
    assert rasp.Program("sort").random is None


def test_no_two_behave_alike():
    """Of one layer over two tokens there are few: seeds repeat, the stream does not."""
    options = dict(layers=1, steps=3, alphabet="ab", max_length=3)
    samples = list(rasp.generate(12, seed=1, **options))
    inputs = [list(x) for n in (1, 2, 3) for x in itertools.product("ab", repeat=n)]
    behaviours = [repr(s.program.batch(inputs)) for s in samples]
    assert len(set(behaviours)) == len(samples) == 12
    seeds = [s.program.random.seed for s in samples]
    assert seeds == sorted(seeds) and seeds[-1] - seeds[0] > len(seeds) - 1
    assert all(s.model.check() for s in samples)


LIMITS = [dict(count=6, table_limit=4), dict(count=8, max_length=60, memory=1 << 20)]


@pytest.mark.parametrize("limits", LIMITS, ids=["table", "memory"])
def test_what_is_refused_is_heard(limits):
    heard = []
    samples = rasp.generate(seed=1, refused=lambda p, e: heard.append((p, e)), **limits)
    numbers = [s.program.name for s in samples] + [p.name for p, _ in heard]
    assert sorted(numbers) == [f"{k:06}.rasp" for k in range(1, limits["count"] + 1)]
    assert heard
    assert all(isinstance(e, rasp.RaspError) and p.text for p, e in heard)


def test_a_stream_is_made_as_it_is_read():
    stream = rasp.generate(None, seed=7)
    first = [next(stream).program.random.seed for _ in range(2)]
    assert first == sorted(first) and first[0] >= 7
    stream.close()


def test_where_there_are_no_more():
    with pytest.raises(rasp.RaspError, match="no more than|no program of"):
        for _ in rasp.generate(None, layers=1, steps=1, alphabet="a", max_length=1):
            pass


WRONG = [
    (dict(seed=-1), "seed: expected a whole number from 0"),
    (dict(seed=2**64), "seed"),
    (dict(seed=None), "seed"),
    (dict(seed=0.5), "seed"),
    (dict(seed=1, layers=17), "layers: expected .* 16"),
    (dict(seed=1, layers=3, heads=2), "heads: expected from 3"),
    (dict(seed=1, layers=2, steps=1), "steps: expected at least 2"),
    (dict(seed=1, layers=True), "layers"),
    (dict(seed=1, max_length=0), "max_length"),
]


@pytest.mark.parametrize("options, text", WRONG)
def test_what_cannot_be_asked_for(options, text):
    with pytest.raises(rasp.UseError, match=text):
        rasp.random_program(**options)
