"""Folded documents: unfolding what was folded gives the same object."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdall.inner.folding import fold, unfold

HEAD: dict[str, Any] = {"apiVersion": "v1", "kind": "Thing"}
NAMES = ("name", "namespace", "generation", "metadata_labels", "metadata", "spec", "status", "a")
MEMBERS = st.dictionaries(
    st.sampled_from((*NAMES, "kind", "labels")), st.sampled_from((1, "b", None)), max_size=5
)


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({}, {"metadata": {}, "spec": {}}),
        ({"name": "a", "size": 1}, {"metadata": {"name": "a"}, "spec": {"size": 1}}),
        (
            {"metadata_labels": {"a": "b"}, "metadata": {"uid": "u"}},
            {"metadata": {"uid": "u", "labels": {"a": "b"}}, "spec": {}},
        ),
        ({"spec": {"a": 1, "b": 2}, "a": 3}, {"metadata": {}, "spec": {"a": 3, "b": 2}}),
        ({"status": {"a": 1}}, {"metadata": {}, "spec": {}, "status": {"a": 1}}),
    ],
)
def test_unfold(document: dict[str, Any], found: dict[str, Any]) -> None:
    assert unfold({**HEAD, **document}) == {**HEAD, **found}


@given(metadata=MEMBERS, spec=MEMBERS, like=st.sets(st.sampled_from(NAMES)))
def test_fold_loses_nothing(metadata: dict[str, Any], spec: dict[str, Any], like: set[str]) -> None:
    """Whatever was folded before, and however members are called."""
    whole: dict[str, Any] = {**HEAD, "metadata": metadata, "spec": spec, "status": {"a": 1}}
    folded = fold(whole, {**HEAD, **dict.fromkeys(like, "x"), "spec": {"a": 1}})
    assert unfold(folded) == whole
    assert unfold(fold(whole, HEAD)) == whole
