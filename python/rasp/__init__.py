"""RASP programs, and the transformers that they compile to.

import rasp
p = rasp.Program("sort")                      # a bundled name, a path, or source text
p("hello"), p.layers(), p.show("hello")       # values; heads; a picture in a notebook
m = p.compile(alphabet="abc", max_length=8)   # Model; m.save("w.bin"), rasp.load("w.bin")
m("cab"), m.check(), m.certificate, m.circuit
m.torch(), m.transformer_lens(), m.onnx("m.onnx")
for p, m, circuit in rasp.generate(100, seed=1): ...
"""

from ._lib import (
    Cancelled,
    Message,
    MissingFile,
    MissingPackage,
    OutOfMemory,
    OutOfTime,
    ProgramError,
    RaspError,
    RaspWarning,
    UseError,
    WeightsError,
    lib,
    text_of,
)
from .circuit import Circuit
from .command import express, lab
from .generate import Sample, generate, random_program
from .library import bundled
from .model import Model, load
from .program import Head, Layers, Place, Program, RandomInfo
from .reports import Certificate, Check, Comparison, Output, Verification
from .score import Score, score
from .trace import Trace

for _kind in RaspError, *RaspError.__subclasses__(), RaspWarning:
    _kind.__module__ = "rasp"  # as tracebacks name them
del _kind

__version__ = text_of(lib.rasp_version())

__all__ = [
    "Cancelled",
    "Certificate",
    "Check",
    "Circuit",
    "Comparison",
    "Head",
    "Layers",
    "Message",
    "MissingFile",
    "MissingPackage",
    "Model",
    "OutOfMemory",
    "OutOfTime",
    "Output",
    "Place",
    "Program",
    "ProgramError",
    "RandomInfo",
    "RaspError",
    "RaspWarning",
    "Sample",
    "Score",
    "Trace",
    "UseError",
    "Verification",
    "WeightsError",
    "bundled",
    "express",
    "generate",
    "lab",
    "load",
    "random_program",
    "score",
]
