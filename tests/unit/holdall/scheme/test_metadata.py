"""Hooks of a kind may change labels and annotations, and nothing else of metadata."""

from __future__ import annotations

from typing import Any

import pytest

from holdall.errors import ConversionError
from holdall.scheme.scheme import Scheme
from tests.support.projects import THING_CONFIG, THING_FILES, build_project, scheme_of

Json = dict[str, Any]
_HOOKS = """
from {generated}.things.v1.storage import AssignableThing
from holdall import Composed, Members, TwoWay


class Notes(TwoWay):
    older = newer = ("metadata",)

    def to_newer(self, older: Members) -> Members:
        metadata = older.get("metadata") or {}
        metadata |= metadata.pop("annotations", None) or {}
        return {"metadata": metadata} if metadata else {}

    def to_older(self, newer: Members) -> Members:
        return newer


class Hook(Composed, AssignableThing):
    parts = (Notes(),)
"""


@pytest.fixture(scope="module")
def scheme(tmp_path_factory: pytest.TempPathFactory) -> Scheme:
    """A group whose hook makes its annotations members of metadata."""
    files = {**THING_FILES, "hooks/__init__.py": '"""Hooks."""\n', "hooks/things.py": _HOOKS}
    return scheme_of(build_project(tmp_path_factory.mktemp("metadata"), THING_CONFIG, files))


def thing(metadata: Json | None) -> Json:
    return {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": metadata, "spec": {}}


def test_labels_and_annotations_may_change(scheme: Scheme) -> None:
    """Of any object, and they come back; so does metadata that is null."""
    given = thing({"name": "a", "uid": "1", "annotations": {"labels": {"b": "c"}}})
    newer: Json = scheme.convert(given, to="v2")
    assert newer["metadata"]["labels"] == {"b": "c"}
    assert scheme.convert(newer, to="v1") == given
    assert scheme.convert(scheme.convert(thing(None), to="v2"), to="v1") == thing(None)


@pytest.mark.parametrize("name", ["name", "namespace", "uid", "finalizers"])
def test_what_else_changes_is_refused(scheme: Scheme, name: str) -> None:
    """An API server would refuse the object, or revert the change. The error names the hook."""
    given = thing({"name": "a", "uid": "1", "annotations": {name: "b"}})
    with pytest.raises(ConversionError, match=f"Hook changed metadata/{name}: ") as caught:
        scheme.convert(given, to="v2")
    assert caught.value.code == "HA505"
    assert caught.value.edge == ("v1", "v2")
