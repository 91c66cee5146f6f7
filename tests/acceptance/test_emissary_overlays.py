"""Emissary from the CRDs that a cluster has: overlays add what these leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdall.errors import PlanError
from holdall_codegen.project import load_project
from tests.support.emissary import assert_score, build_emissary, configuration, scored


@pytest.fixture(scope="module")
def installable(emissary_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, generated from installable schemas and overlays, with the same hooks."""
    return build_emissary(tmp_path_factory.mktemp("installable"), emissary_data, "installable")


@scored
def test_the_scorer_passes(mode: list[str], emissary_data: Path, installable: Path) -> None:
    """All visible cases match, and all round trips are exact."""
    assert_score(mode, emissary_data, installable)


def test_both_kinds_of_schemas_make_the_same_converters(
    emissary_data: Path, installable: Path, tmp_path: Path
) -> None:
    """With the overlays the plans are equal, so every other test of the rules holds here too."""
    complete = load_project(build_emissary(tmp_path, emissary_data)).plans["emissary"]
    overlaid = load_project(installable).plans["emissary"]
    for one, other in zip(complete.versions, overlaid.versions, strict=True):
        assert one.types.keys() == other.types.keys()
        for name, planned in one.types.items():
            assert [(member.name, member.property.type) for member in planned.members] == [
                (member.name, member.property.type) for member in other.types[name].members
            ], name
    assert [
        [(item.side, item.name, item.fate, item.partner) for item in edge.decisions]
        for edge in complete.edges
    ] == [
        [(item.side, item.name, item.fate, item.partner) for item in edge.decisions]
        for edge in overlaid.edges
    ]


def test_the_overlays_are_needed(emissary_data: Path, tmp_path: Path) -> None:
    """Without them the configuration declares facts about properties that are not there."""
    (tmp_path / "schemas").symlink_to(emissary_data / "schemas" / "installable")
    (tmp_path / "holdall.yaml").write_text(configuration(overlays=False), encoding="utf-8")
    with pytest.raises(PlanError, match="tls"):
        load_project(tmp_path)
