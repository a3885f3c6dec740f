#!/usr/bin/env bash
# What the runtime and the compiler are measured against, in a virtual environment of its own,
# build/peers: onnxruntime, torch and jax for their CPUs, tracr, and the Python package of this tree.
# From PyPI, by name; some 3 GiB and a few minutes.  Nothing but the rows of bench/peers.py needs
# it: without it `make bench` says so in a line and goes on.
#
#   bench/peers.sh
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
venv=build/peers
python=$venv/bin/python
pip=("$python" -m pip install --quiet --disable-pip-version-check)

"$python" -c 'import pip' 2>/dev/null || python3 -m venv "$venv"
"${pip[@]}" 'setuptools>=70.1' cffi numpy onnx onnxruntime torch jax
"${pip[@]}" tracr-pypi || echo "bench/peers.sh: tracr cannot be had: its rows are left out" >&2
make --no-print-directory -s all

# Built from a copy, as python/test does: links are made anew, objects are not.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tar -c --exclude=./.git --exclude='./build/[^r]*' . | tar -x -C "$scratch"
"${pip[@]}" --no-build-isolation --no-deps --force-reinstall "$scratch/python"
