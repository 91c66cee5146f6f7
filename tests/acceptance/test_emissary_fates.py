"""The fates of Emissary's fields: every field of every visible case, held against the result."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from holdall.scheme.scheme import Scheme
from tests.support.emissary import build_emissary, cases
from tests.support.fates import check_fates

VERSIONS = ("v1", "v2", "v3alpha1")


@pytest.fixture(scope="module")
def project(emissary_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Emissary project."""
    return build_emissary(tmp_path_factory.mktemp("emissary"), emissary_data)


def test_every_field_of_every_case_has_a_true_fate(scheme: Scheme, emissary_data: Path) -> None:
    """Each field is shown where its fate says, or really is in the bag; none is lost."""
    seen: Counter[str] = Counter()
    for case in cases(emissary_data):
        document = case["input"]
        kind = next((kind for kind in scheme.kinds if kind.name == document["kind"]), None)
        version = document["apiVersion"].partition("/")[2]
        if kind is None or version not in kind.types:
            continue  # a kind that this version does not have
        for to in kind.types:
            found = check_fates(scheme, document, to)
            back = check_fates(scheme, scheme.convert(document, to=to), version)
            for item in [*found, *back]:
                assert not item.lost, (case["id"], to, item)
                seen.update(step.fate for step in item.steps)
    fates = {"copied", "recursed", "renamed", "claimed by a hook", "carried", "set by holdall"}
    assert fates <= seen.keys(), seen
    assert sum(seen.values()) > 10_000


def fate_of(scheme: Scheme, spec: dict[str, Any], to: str, path: str) -> tuple[str, list[str]]:
    """Return the fate of a field of a v2 Mapping, and where it is in the end."""
    document = {"apiVersion": "getambassador.io/v2", "kind": "Mapping", "spec": spec}
    item = next(item for item in check_fates(scheme, document, to) if item.path == path)
    return item.fate, [*item.shown, *map(str, item.waiting)]


def test_hooks_are_named(scheme: Scheme) -> None:
    """A field that a hook takes is said to be its, with the part that reads it and the line."""
    fate, ends = fate_of(
        scheme, {"headers": {"a": True, "b": False}}, "v3alpha1", "/spec/headers/b"
    )
    assert fate.startswith("claimed by Mappings (TrueValues) ")
    assert fate.endswith("kinds.py:54, kept under v2/residue:headers")
    assert ends == ["/spec/regex_headers", "/spec/v2BoolHeaders", "v2/residue:headers"]
    fate, ends = fate_of(scheme, {"v3StatsName": "x"}, "v3alpha1", "/spec/v3StatsName")
    assert (fate, ends) == ("renamed to /spec/stats_name", ["/spec/stats_name"])
