"""Many documents at once: what happens to each is what happens to it alone."""

from __future__ import annotations

import importlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from holdall.bulk.documents import Documents
from holdall.errors import HoldallError
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text.loading import load_file

_ROOT = Path(__file__).parents[4]
_TARGETS = {"batch": "v20220601", "fleet": "v1beta1", "people": "v1"}


def _scheme(group: str) -> Scheme:
    scheme: Scheme = importlib.import_module(f"generated.{group}").SCHEME
    return scheme


def _texts(group: str) -> list[bytes]:
    """Return the sample objects of a group in all versions, and each damaged in some way."""
    scheme = _scheme(group)
    found: list[Any] = []
    for file in sorted((_ROOT / "samples" / group).glob("*.yaml")):
        for document in load_file(file):
            found.append(document.value)
            for version in scheme.versions:
                try:
                    found.append(scheme.convert(found[-1], to=version.name))
                except HoldallError:
                    continue
    damaged: list[Any] = [7, None, {}, {"kind": "Nothing", "apiVersion": "a/v1"}]
    for one in found:
        damaged += [{**one, "spec": [1]}, {**one, "metadata": {"annotations": {"a": "{"}}}]
        damaged.append({**one, "apiVersion": one["apiVersion"] + "0"})
        damaged.append({**one, "$propertyBag": {"spec": 1}})
    return [json.dumps(one).encode() for one in (*found, *damaged)] + [b"{", b'{"kind": "\xff"}']


@pytest.mark.parametrize("group", _TARGETS)
def test_documents_that_go_together_become_what_they_become_alone(group: str) -> None:
    """Whatever stands beside them, and however many there are: results, reports and errors."""
    documents = Documents(Schemes([_scheme(group)]), _TARGETS[group])
    texts = _texts(group)
    alone = {text: documents.convert(text) for text in texts}
    assert len({one.outcome for one in alone.values()}) >= 3
    for text, result in alone.items():
        if result.outcome == "converted":
            assert _scheme(group).convert_bytes(text, to=_TARGETS[group]) == result.document
    for seed in range(6):
        drawn = random.Random(seed).choices(texts, k=150)
        found = [*documents.convert_all((text, "", "") for text in drawn)]
        assert found == [alone[text] for text in drawn], f"seed {seed}"
