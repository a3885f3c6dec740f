"""What the command `rasp` does and the library does not: `express`, `lab`, pictures."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ._lib import COMMAND, RaspError, UseError, ProgramError, MissingFile
from .values import Atom, tokens_of

# What the command's messages have around what they say.
PREFIX = re.compile(r"^rasp(?: [a-z]+)?: (?:error: )?", re.M)
USAGE = re.compile(r"^Try `rasp .*\n?", re.M)
EXITS = {64: UseError, 65: ProgramError, 66: MissingFile}


def listed(tokens: Sequence[Atom]) -> str:
    """Tokens as the command reads a list: [1, 2] or ["hi", "you"]."""
    return json.dumps([token for token in tokens], ensure_ascii=False)


def options_of(options: Dict[str, Any]) -> List[str]:
    """max_length=4 is --max-length=4; True the option alone; an alphabet may be a list."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if name == "alphabet":
            value = (
                value
                if isinstance(value, str) and value[:1] not in "@["
                else listed(tokens_of(value))
            )
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words.append(option if one is True else f"{option}={one}")
    return words


def source_of(program: Any) -> Tuple[str, Optional[bytes]]:
    """What names the program on a command line, and what goes to its standard input."""
    return (program.path, None) if program.path else ("-", program.text.encode())


def run(arguments: Sequence[str], stdin: Optional[bytes] = None, fine: Sequence[int] = (0,)) -> str:
    """What the command prints; what it says of a failure is raised.  Ctrl-C ends it."""
    done = subprocess.run(
        [COMMAND, *arguments],
        input=stdin if stdin is not None else b"",
        capture_output=True,
        check=False,
    )
    out = done.stdout.decode("utf-8", "replace")
    if done.returncode in fine:
        return out
    kind, said = EXITS.get(done.returncode, RaspError), done.stderr.decode("utf-8", "replace")
    said = USAGE.sub("", PREFIX.sub("", said)).strip()
    raise kind(said or out.strip() or f"rasp {' '.join(arguments)}: status {done.returncode}")


def run_json(
    arguments: List[str], stdin: Optional[bytes] = None, fine: Sequence[int] = (0,)
) -> List[Dict[str, Any]]:
    """The objects that the command prints with --json, one a line."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    text = run([*arguments[:at], "--json", *arguments[at:]], stdin, fine)
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def express(
    program: Any,
    *,
    classes: Union[str, Sequence[str], None] = None,
    sop: Optional[str] = None,
    **options: Any,
) -> List[Dict[str, Any]]:
    """What one attention layer can do of a program: for each class and greatest length the least
    number of heads, with a program that does it, or that none can (docs/expressivity.md).

    `program`: as for Program, or one; `classes`: "average", "unique", "relative", ...; options as
    of `rasp express`: heads=3, max_length=6, alphabet="ab", last=True, task=FILE (and None for the
    program), time_limit=20.  Gives the command's objects, one a class and length.
    """
    from .program import Program

    words = options_of({**options, "class": [classes] if isinstance(classes, str) else classes})
    if program is None:
        return run_json(["express", *words])
    p = program if isinstance(program, Program) else Program(program)
    name, text = source_of(p)
    chosen = sop if sop is not None else p._sop
    if chosen is not None:
        words.append(f"--sop={chosen}" if chosen.isidentifier() else f"--expr={chosen}")
    return run_json(["express", *words, "--", name], text)


def lab(*what: Any, quick: bool = False, **options: Any) -> List[Dict[str, Any]]:
    """Claims about attention, measured (docs/lab.md): items by number, groups by name, or a
    question about a model or a program, lab("noise", model).  Gives an object an item: claim,
    verdict, checks, tables, plots.  An identity that does not hold is a verdict and no exception.
    """
    if not what:
        raise UseError(f"lab: expected some of these, or 'all'\n{run(['lab'])}")
    with tempfile.TemporaryDirectory() as folder:
        names = [_named(item, os.path.join(folder, str(k))) for k, item in enumerate(what)]
        words = options_of({**options, "quick": quick})
        return run_json(["lab", *names, *words], fine=(0, 1))


def _named(item: Any, path: str) -> str:
    """What names it on a command line; models and programs without a file get one at `path`."""
    if hasattr(item, "save"):
        item.save(path + ".bin")
        return path + ".bin"
    if not hasattr(item, "sops"):
        return str(item)
    if item.path is None:
        with open(path + ".rasp", "w", encoding="utf-8") as file:
            file.write(item.text)
    return item.path or path + ".rasp"
