"""Do a model's weights compute a program?  What `rasp verify` finds."""

from __future__ import annotations

import os
from typing import Any, Union

from ._lib import UseError, ffi, lib, text_of
from .program import Program
from .reports import Comparison, Verification, certificate_of


def verify(
    model: Any, program: Union[Program, str, "os.PathLike[str]", None], by: Any
) -> Verification:
    """Model.verify."""
    if by not in (None, "claims", "compiling"):
        raise UseError(f"by: expected 'claims' or 'compiling', found {by!r}")
    if program is not None and by == "compiling":
        raise UseError("a program is for claims: only the embedded program is compiled")
    has_claims = lib.rasp_model_claims(model._handle)
    refused = ""
    if by == "claims" or program is not None or (by is None and has_claims):
        found = _by_claims(model, program)
        if found.holds or by == "claims" or program is not None:
            return found
        refused = found.refused
    return _by_compiling(model, refused)


def _stated(error: float) -> Any:
    return None if error < 0 else error


def _by_claims(model: Any, program: Any) -> Verification:
    host, r, given = model._host, ffi.new("RaspClaimsReport *"), ffi.NULL
    if program is not None:
        p = program if isinstance(program, Program) else Program(program)
        given = p._load(host)  # one host for all that the call needs
    with host.busy():
        host.call_busy(lib.rasp_verify_claims, model._handle, given, r)
        refused = text_of(r.refused) or ""
        return Verification(
            bool(r.holds),
            "claims",
            None if refused else certificate_of(r.certificate),
            _stated(r.claimed),
            refused,
            None,
        )


def _by_compiling(model: Any, refused: str) -> Verification:
    r = ffi.new("RaspVerifyReport *")
    with model._host.busy():
        model._host.call_busy(lib.rasp_verify, model._handle, r)
        shown = min(r.false_claims, lib.RASP_VERIFY_SHOWN)
        return Verification(
            bool(r.holds),
            "compiling",
            certificate_of(r.certificate) if r.same_structure else None,
            _stated(r.claimed),
            refused,
            Comparison(
                bool(r.same_structure),
                text_of(r.difference) or "",
                r.changed,
                r.largest,
                r.false_claims,
                [text_of(r.claims[k]) or "" for k in range(shown)],
            ),
        )
