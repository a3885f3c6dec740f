"""The bundled programs, and where programs are looked for."""

from __future__ import annotations

import difflib
import os
from typing import Dict, List, Optional

from ._lib import PROGRAMS, ProgramError, UseError

SUFFIX = ".rasp"


def _below(folder: str) -> List[str]:
    found = []
    for path, _, names in os.walk(folder):
        found += [os.path.join(path, name) for name in names if name.endswith(SUFFIX)]
    return sorted(found)


def _bundled_paths() -> List[str]:
    # Directly in the folder is the library itself, which is in the binary.
    return [path for path in _below(PROGRAMS) if os.path.dirname(path) != PROGRAMS]


def bundled() -> Dict[str, str]:
    """The bundled programs: names and their files."""
    return {os.path.basename(path)[: -len(SUFFIX)]: path for path in _bundled_paths()}


def _names(name: str, path: str) -> bool:
    """Does `name` say the path, its last parts, or either without the suffix?"""
    wanted = name if name.endswith(SUFFIX) else name + SUFFIX
    return path == wanted or path.endswith(os.sep + wanted)


def find_program(name: str) -> Optional[str]:
    """The file of that name in RASP_PATH or among the bundled programs; None: there is none."""
    folders = [folder for folder in os.environ.get("RASP_PATH", "").split(":") if folder]
    if not name or name.startswith("/"):
        return None
    for paths in [*(_below(folder) for folder in folders), _bundled_paths()]:
        found = [path for path in paths if _names(name, path)]
        if len(found) > 1:
            raise UseError(f"several programs are called '{name}': {', '.join(found)}")
        if found:
            return found[0]
    return None


def path_of(name: str) -> str:
    """The file that a path or the name of a program says."""
    for path in (name, name + SUFFIX):
        if os.path.isfile(path):
            return path
    found = find_program(name)
    if found:
        return found
    near = difflib.get_close_matches(name, bundled(), 3)
    hint = f"; near are {', '.join(near)}" if near else ""
    raise ProgramError(
        f"no program '{name}' here, in RASP_PATH or among the bundled ones{hint} (a program's "
        "text has a ';')"
    )
