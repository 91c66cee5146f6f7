"""Examining the CRDs in documents by all rules; findings have line numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from holdall.errors import Problem
from holdall.kubernetes.crds.access import is_crd
from holdall.kubernetes.crds.findings import NOT_A_CRD, Findings, Level
from holdall.kubernetes.crds.rules import check_crd
from holdall.kubernetes.doctor.advice import advise
from holdall.kubernetes.doctor.drift import check_drift, compare, find_kind
from holdall.kubernetes.doctor.schemas import check_schemas
from holdall.plan.plans import load as load_plan
from holdall.scheme.scheme import Scheme
from holdall.text.documents import Document
from holdall.text.streams import objects_of
from holdall.types import JsonValue, text

_LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One finding: its level, its CRD, and the located problem."""

    level: Level
    crd: str
    problem: Problem


def crds_in(documents: Iterable[Document]) -> list[tuple[Document, str, JsonValue]]:
    """Return the CRDs in documents, including items of lists, each with its JSON Pointer."""
    return [
        (document, pointer, value)
        for document in documents
        for pointer, value in objects_of(document.value)
        if is_crd(value)
    ]


def examine(
    documents: Iterable[Document],
    schemes: Sequence[Scheme] | None = None,
    *,
    now: datetime | None = None,
) -> list[Diagnosis]:
    """Return present and future problems of the CRDs in documents; other objects are skipped.

    With `schemes`, the CRDs are compared with these and their plans. `now` (UTC) is for
    certificates. Findings are in document order, and within a CRD errors come first.
    Raises SchemeError if a plan cannot be read.
    """
    found: list[Diagnosis] = []
    for document, base, crd in crds_in(documents):
        findings = check_crd(crd)
        if not any(finding.code == NOT_A_CRD for finding in findings):
            _advise(crd, schemes, findings, now)
        name = text(crd, "metadata", "name")
        ordered = sorted(findings, key=lambda finding: _LEVELS.index(finding.level))
        for finding in ordered:
            problem = finding.locate(document.where, base)
            found.append(Diagnosis(finding.level, name, problem))
    return found


def _advise(
    crd: JsonValue,
    schemes: Sequence[Scheme] | None,
    findings: Findings,
    now: datetime | None,
) -> None:
    advise(crd, findings, now=now)
    known = find_kind(crd, list(schemes), findings) if schemes is not None else None
    if known is not None:
        compare(crd, *known, findings)
    check_schemas(crd, findings, known[1] if known is not None else None)
    if known is not None:
        scheme, kind = known
        check_drift(crd, load_plan(scheme.package), kind.name, findings)
