"""The library, and how it is called.

A Host stands for what the handles of one program have in common: one thread at a time may be in
the library with them, Ctrl-C and whoever listens to progress may end a call, messages become
exceptions and warnings.  Handles that nobody needs any more are given back when that is safe.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import warnings
from collections import deque
from contextlib import contextmanager
from typing import Any, Callable, Iterator, NamedTuple, Optional, Tuple

from ._api import ffi

FOLDER = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(FOLDER, "programs")
COMMAND = os.path.join(FOLDER, "bin", "rasp")

lib = ffi.dlopen(os.path.join(FOLDER, "librasp.so"))
libc = ffi.dlopen(None)


def text_of(pointer: Any) -> Optional[str]:
    """What a C string says; NULL is None."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def take_text(pointer: Any) -> str:
    """The same of a string that is the caller's, which is given back."""
    text = text_of(pointer) or ""
    lib.rasp_free(pointer)
    return text


# --- messages, errors -------------------------------------------------------------------------

# The library's messages say options of the command; here they are arguments.
ARGUMENTS = {
    "--expr": "sop",
    "--log-length-scaling": "log_length",
    "--max-memory": "memory",
    "--partial": "partial=True",
    **{
        "--" + name.replace("_", "-"): name
        for name in "alphabet dtype first mask max_length sop table_limit time_limit tolerance "
        "where".split()
    },
}
OPTION = re.compile("(?<![^\\s('])(" + "|".join(ARGUMENTS) + r")(?![\w-])")
QUOTED = re.compile(r"^ *\d* \|")  # a line of the program, and what stands below it


def as_arguments(text: str) -> str:
    """The message with arguments where it has options."""
    if "--" not in text:
        return text
    return "\n".join(
        line if QUOTED.match(line) else OPTION.sub(lambda found: ARGUMENTS[found[0]], line)
        for line in text.split("\n")
    )


class Message(NamedTuple):
    """What is said about a text.  Lines and columns count from 1; the end is just behind."""

    severity: str  # "error", "warning"
    text: str
    file: Optional[str]
    line: int
    column: int
    end_line: int
    end_column: int
    caret: str  # the message with its source line and a caret below it, several lines


class RaspError(Exception):
    """What went wrong: `text` in a line, the place (`file`, `line`, `column`, counted from 1; 0:
    about no place), and `caret`, the message as it is shown, with the source line and a caret
    below it.  `messages` are all that were said; the error is the first."""

    status = "failed"

    def __init__(
        self,
        text: str,
        file: str = "",
        line: int = 0,
        column: int = 0,
        messages: Tuple[Message, ...] = (),
    ) -> None:
        self.text = text
        self.file = file or None
        self.line = line
        self.column = column
        self.messages = messages
        errors = [m.caret.rstrip("\n") for m in messages if m.severity == "error"]
        self.caret = "\n".join(errors) or text
        super().__init__(self.caret)


class ProgramError(RaspError):
    """The program's text is wrong, or a name that it has not was asked for."""

    status = "wrong program"


class UseError(RaspError, ValueError):
    """An argument is wrong."""

    status = "wrong use"


class MissingFile(RaspError, FileNotFoundError):
    """There is no such file, or it cannot be read."""

    status = "no file"


class WeightsError(RaspError):
    """No weights file, a broken one, or one that does not fit the request."""

    status = "wrong file"


class OutOfMemory(RaspError, MemoryError):
    """More memory was needed than `memory` allows, or than there is."""

    status = "out of memory"


class OutOfTime(RaspError, TimeoutError):
    """A time limit has passed."""

    status = "out of time"


class Cancelled(RaspError):
    """The call was ended from outside."""

    status = "cancelled"


class MissingPackage(RaspError, ImportError):
    """A package that was asked for is not installed; the text says what installs it."""

    status = "missing package"


class RaspWarning(UserWarning):
    """What runs and can hardly have been meant."""


ERRORS = {
    "RASP_WRONG_USE": UseError,
    "RASP_WRONG_PROGRAM": ProgramError,
    "RASP_NO_FILE": MissingFile,
    "RASP_WRONG_FILE": WeightsError,
    "RASP_FAILED": RaspError,
    "RASP_OUT_OF_MEMORY": OutOfMemory,
    "RASP_OUT_OF_TIME": OutOfTime,
    "RASP_CANCELLED": Cancelled,
}
SEVERITIES = {lib.RASP_ERROR: "error", lib.RASP_WARNING: "warning", lib.RASP_NOTE: "note"}
STATUSES = {getattr(lib, name): kind for name, kind in ERRORS.items()}


def need(package: str, purpose: str, install: Optional[str] = None) -> Any:
    """The package, imported; MissingPackage says what it is for and what installs it."""
    import importlib

    try:
        return importlib.import_module(package)
    except ImportError as reason:
        raise MissingPackage(
            f"{purpose} needs the package '{package}': pip install {install or package} ({reason})"
        ) from reason


@ffi.callback("void(void *, const RaspMessage *)")
def _report(context: Any, message: Any) -> None:
    place = message.place
    ffi.from_handle(context).append(
        Message(
            SEVERITIES[message.severity],
            as_arguments(text_of(message.text) or ""),
            as_arguments(text_of(place.source) or "") or None,
            place.line,
            place.column,
            place.end_line,
            place.end_column,
            as_arguments(take_text(lib.rasp_message_show(message, False))),
        )
    )


@ffi.callback("char *(void *, const char *)", error=ffi.NULL)
def _find(context: Any, name: Any) -> Any:
    from .library import find_program

    path = find_program(text_of(name) or "")
    return libc.strdup(os.fsencode(path)) if path else ffi.NULL


# --- calls ------------------------------------------------------------------------------------

_inside = threading.local()  # `callback`: this thread is in a callback of the library


class Host:
    """A lock, a flag that ends the running call, the configuration that handles are made with."""

    def __init__(
        self, memory: Optional[int] = None, cpu_seconds: float = 0, quiet: bool = False
    ) -> None:
        self.messages: list = []
        self.raised: Optional[BaseException] = None  # by a callback of the running call
        self.cancel = ffi.new("int *", 0)
        self._context = ffi.new_handle(self.messages)
        self._places = ffi.new("char[]", b"RASP_PATH or among the bundled programs")
        self._lock = threading.Lock()
        self._garbage: deque = deque()
        self.config = ffi.new(
            "RaspConfig *",
            {
                "memory": memory or 0,
                "cpu_seconds": cpu_seconds,
                "cancel": self.cancel,
                "report": ffi.NULL if quiet else _report,
                "report_context": self._context,
                "find": _find,
                "find_places": self._places,
            },
        )

    @contextmanager
    def busy(self) -> Iterator[None]:
        """This thread alone may be in the library with the host's handles."""
        if getattr(_inside, "callback", False):
            raise RuntimeError("rasp: a progress callback cannot call rasp itself")
        with self._lock:
            yield
        self._sweep()

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        quick: bool = False,
        optional: bool = False,
    ) -> Any:
        """function(*arguments, error): what it gives.  What the error says is raised, and what is
        reported beside it becomes warnings.  `quick`: Ctrl-C need not end it; `optional`: NULL or
        false is no error where the status is RASP_OK."""
        with self.busy():
            return self.call_busy(function, *arguments, quick=quick, optional=optional)

    def call_busy(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        quick: bool = False,
        optional: bool = False,
    ) -> Any:
        """The same for who is busy already."""
        error = ffi.new("RaspError *")
        del self.messages[:]
        self.raised = None
        self.cancel[0] = 0
        main = threading.current_thread() is threading.main_thread()
        if quick or not main:
            result = function(*arguments, error)
        else:
            result = self._interruptible(function, *arguments, error)
        messages = tuple(self.messages)
        if self.raised:
            raise self.raised
        if not result and not (optional and error.status == lib.RASP_OK):
            raise error_of(error, messages)
        for message in messages:
            if message.severity == "warning":
                warnings.warn(message.caret.rstrip("\n"), RaspWarning, _outside())
        return result

    def _interruptible(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The call in a thread of its own, so that this one, the main thread, hears Ctrl-C."""
        found: list = []
        done = threading.Event()

        def work() -> None:
            try:
                found.append(function(*arguments))
            finally:
                done.set()

        worker = threading.Thread(target=work, name="rasp", daemon=True)
        try:
            worker.start()
            done.wait()
        except BaseException:
            self.cancel[0] = 1
            while worker.is_alive() and not done.is_set():
                try:
                    done.wait()
                except KeyboardInterrupt:
                    pass
            raise
        return found[0]

    def own(self, pointer: Any, free: Callable[[Any], None]) -> Any:
        """The handle, given back when nobody needs it any more."""
        return ffi.gc(pointer, lambda raw: self._release(free, raw))

    def _release(self, free: Callable[[Any], None], pointer: Any) -> None:
        # Python may drop a handle in any thread at any moment, the library frees it in its turn.
        self._garbage.append((free, pointer))
        self._sweep()

    def _sweep(self) -> None:
        while self._garbage and self._lock.acquire(blocking=False):
            try:
                while self._garbage:
                    free, pointer = self._garbage.popleft()
                    free(pointer)
            finally:
                self._lock.release()

    def listener(self, signature: str, function: Optional[Callable[..., Any]]) -> Any:
        """The function as a callback `signature` whose first argument, the context, is dropped.
        What it raises ends the call, and is raised there.  None: NULL."""
        if function is None:
            return ffi.NULL

        def hear(_context: Any, *arguments: Any) -> None:
            _inside.callback = True
            try:
                if self.raised is None:
                    function(*arguments)
            except BaseException as reason:
                self.raised = reason
                self.cancel[0] = 1
            finally:
                _inside.callback = False

        return ffi.callback(signature, hear)


def _outside() -> int:
    """The level of whoever called the package, for warnings."""
    level, frame = 0, sys._getframe(0)  # type: int, Any
    while frame and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    return level


def error_of(error: Any, messages: Tuple[Message, ...] = ()) -> RaspError:
    """A RaspError of C as an exception."""
    kind = STATUSES.get(error.status, RaspError)
    said = messages if error.reported else ()
    return kind(
        as_arguments(text_of(error.text) or "it failed"),
        as_arguments(text_of(error.source) or ""),
        error.line,
        error.column,
        said,
    )
