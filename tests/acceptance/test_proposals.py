"""Proposals for real APIs: how many of the true renames and moves are found, and how many are true.

The tables beside this file are facts about the APIs; their schemas stand in `../shared`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.proposals import measure

TRUTH = Path(__file__).parent / "proposals"
PRECISION, RECALL = 0.9, 0.8


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("cluster-api", "clusterapi/schemas"),
        ("tekton", "crds/tektoncd_pipeline"),
        ("kueue", "crds/kubernetes-sigs_kueue"),
    ],
)
def test_real_renames_and_moves(shared: Path, name: str, folder: str) -> None:
    """What the conversions of an API do is proposed, moves among it, and little else."""
    score = measure(_folder(shared, folder), TRUTH / f"{name}.yaml")
    assert score.precision >= PRECISION, "\n".join(score.wrong)
    assert score.recall >= RECALL, "\n".join(score.missed)
    assert score.moves


@pytest.mark.parametrize(
    "folder", ["crds/external-secrets_external-secrets", "crds/fluxcd_helm-controller"]
)
def test_where_nothing_was_renamed(shared: Path, folder: str) -> None:
    """Versions that only gained and lost properties: nothing is proposed."""
    assert measure(_folder(shared, folder), None).wrong == []


def _folder(shared: Path, name: str) -> Path:
    folder = shared / name
    if not folder.is_dir():
        pytest.skip(f"needs `shared/{name}` with CRDs beside the repository")
    return folder
