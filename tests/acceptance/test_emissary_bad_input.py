"""Emissary's kinds on bad input: every place of every kind and version, through all hooks."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.scheme.scheme import Scheme
from tests.support.bad_input import bad_objects, check_bad_input, complaint, full_object
from tests.support.emissary import PROJECT, build_emissary
from tests.support.projects import scheme_of

VERSIONS = ("v1", "v2", "v3alpha1")
KINDS = [
    ("AuthService", VERSIONS),
    ("ConsulResolver", VERSIONS),
    ("DevPortal", VERSIONS),
    ("Host", VERSIONS[1:]),
    ("KubernetesEndpointResolver", VERSIONS),
    ("KubernetesServiceResolver", VERSIONS),
    ("LogService", VERSIONS),
    ("Mapping", VERSIONS),
    ("Module", VERSIONS),
    ("RateLimitService", VERSIONS),
    ("TCPMapping", VERSIONS),
    ("TLSContext", VERSIONS),
    ("TracingService", VERSIONS),
]
CASES = [(kind, version) for kind, versions in KINDS for version in versions]


@pytest.fixture(scope="module")
def project(emissary_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Emissary project."""
    return build_emissary(tmp_path_factory.mktemp("emissary"), emissary_data)


@pytest.mark.parametrize(("kind", "version"), CASES)
def test_bad_input_converts_or_is_located(
    scheme: Scheme, kind: str, version: str, walk_seed: int
) -> None:
    """A bad object comes back exactly or is an error at its place; neighbours are untouched."""
    check_bad_input(scheme, kind, version, limit=60, seed=walk_seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("kind", "version"), CASES)
def test_the_whole_walk(scheme: Scheme, kind: str, version: str) -> None:
    """The same with every bad object there is."""
    check_bad_input(scheme, kind, version)


def test_a_hook_without_its_guard_is_found(emissary_data: Path, tmp_path: Path) -> None:
    """The walk finds a hook that takes every label for an object: null ones break it."""
    guarded, bare = "(newer or {}).get(kind)", "newer.get(kind)"
    assert guarded in (PROJECT / "hooks" / "labels.py").read_text(encoding="utf-8")
    project = build_emissary(tmp_path, emissary_data, replace={guarded: bare})
    broken = scheme_of(project)
    found = []
    for bad in bad_objects(full_object(broken, "Mapping", "v3alpha1")):
        if bad.pointer.startswith("/spec/labels/a/0/a"):
            [result] = broken.convert_each([bad.document], to="v2")
            found.append((bad, complaint(broken, "Mapping", "v3alpha1", "v2", bad, result)))
    told = [f"{bad}: {text}" for bad, text in found if text]
    assert any("replaced by null: a AttributeError was raised" in text for text in told), told
