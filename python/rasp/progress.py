"""How far a long call is."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional, Union

from ._lib import UseError

Progress = Union[bool, None, Callable[..., None]]


@contextmanager
def listening(progress: Progress, what: str) -> Iterator[Optional[Callable[..., None]]]:
    """A function for what the library tells.  A callable is that function; True: a line on standard
    error, by tqdm where it is installed."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        if not callable(progress):
            raise UseError(f"progress: expected True or a function, found {progress!r}")
        yield progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda *said: print(f"\r{what}: {_words(said)}   ", end="", file=sys.stderr)
        print(file=sys.stderr)
        return
    with tqdm(desc=what, unit="step") as bar:
        yield lambda *said: _advance(bar, said)


def _words(said: Any) -> str:
    return " ".join(str(word) for word in said)


def _advance(bar: Any, said: Any) -> None:
    if isinstance(said[0], int):  # so many inputs are done
        bar.unit = "input"
        bar.update(said[0] - bar.n)
    else:
        bar.set_postfix_str(str(said[0]))
        bar.update(1)
