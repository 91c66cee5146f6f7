"""Converted objects of real APIs: whatever an API server refuses of them was foretold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.validity import measure


@pytest.mark.parametrize(
    "folder",
    [
        "crds/kubernetes-sigs_kueue",
        "crds/external-secrets_external-secrets",
        "crds/fluxcd_helm-controller",
        "crds/tektoncd_pipeline",
        pytest.param("clusterapi/schemas", marks=pytest.mark.slow),
    ],
)
def test_what_is_refused_was_foretold(shared: Path, folder: str) -> None:
    """Every kind plans after `init` and `plan --declare`; no object fails, no flaw surprises."""
    if not (shared / folder).is_dir():
        pytest.skip(f"needs `shared/{folder}` with CRDs beside the repository")
    figures = measure(shared / folder)
    assert figures.started == figures.declared == figures.kinds - figures.unread
    for objects in (figures.as_is, figures.with_proposals):
        assert objects.failed == 0
        assert objects.missed == []
