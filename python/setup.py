"""Builds the library with the project's own Makefile and puts it into the package, with the
command and the bundled programs.  What cffi reads is made from the public headers themselves."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

PROJECT = Path(__file__).resolve().parent.parent
BUILD = PROJECT / "build" / "python"


def need_project():
    if not (PROJECT / "Makefile").is_file() or not (PROJECT / "api" / "rasp.h").is_file():
        sys.exit(
            f"rasp: expected the project's Makefile and api/rasp.h in {PROJECT}: the package is "
            "built from the whole project, by 'pip install ./python' in its folder"
        )


def version():
    text = (PROJECT / "api" / "rasp.h").read_text()
    return re.search(r'#define RASP_VERSION +"([^"]+)"', text).group(1)


def headers():
    """The public headers, each behind those that it includes."""
    found = []

    def add(path):
        for name in re.findall(r'^#include "(.*)"', path.read_text(), re.M):
            add(path.parent / name)
        if path not in found:
            found.append(path)

    for path in sorted((PROJECT / "api").glob("rasp*.h")):
        add(path)
    return found


def declarations():
    """What they declare as cffi reads it: no comments, no preprocessor, no linkage."""
    parts = ["typedef int sig_atomic_t;", "char *strdup(const char *);"]
    for path in headers():
        text = path.read_text()
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"^[ ]*#ifdef __cplusplus.*?#endif", "", text, flags=re.S | re.M)
        text = re.sub(r"^[ ]*#.*(\\\n.*)*$", "", text, flags=re.M)
        parts.append(text.replace("RASP_API ", "").replace("volatile ", ""))
    return "\n".join(parts)


def write_api(path):
    import cffi

    ffi = cffi.FFI()
    ffi.cdef(declarations())
    ffi.set_source("rasp._api", None)
    ffi.emit_python_code(str(path))


def make():
    jobs = [] if "-j" in os.environ.get("MAKEFLAGS", "") else [f"-j{os.cpu_count()}"]
    command = [
        "make",
        "--no-print-directory",
        "-s",
        *jobs,
        "-C",
        str(PROJECT),
        "MODE=release",
        "all",
    ]
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
        sys.exit(
            "rasp: the library could not be built; './setup' in the project's folder installs "
            f"what it needs (the command was: {' '.join(command)})"
        )


def put(source, target, link):
    """A copy, or a link, of a file or folder of the project, for what was there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    elif target.is_symlink() or target.exists():
        target.unlink()
    if link:
        target.symlink_to(source)
    elif source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("embed"))
    else:
        shutil.copy(source, target)


class Build(build_py):
    def run(self):
        super().run()
        make()
        # In place (pip install -e) the next make is the next version.
        link = self.editable_mode
        package = Path("rasp").absolute() if link else Path(self.build_lib) / "rasp"
        put(PROJECT / "build" / "release" / f"librasp.so.{version()}", package / "librasp.so", link)
        put(PROJECT / "bin" / "rasp", package / "bin" / "rasp", link)
        put(PROJECT / "programs", package / "programs", link)
        write_api(package / "_api.py")


class Wheel(bdist_wheel):
    """For one platform, and every Python: there is no extension module in it."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


need_project()
BUILD.mkdir(parents=True, exist_ok=True)
setup(
    version=version(),
    cmdclass={"build_py": Build, "bdist_wheel": Wheel},
    options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}},
)
