"""What moves took out of an object, as objects within that convert alone see it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest

from generated import batch
from holdall.engine.member_ways import Way, crossed
from tests.support.objects import resource


def _ends(convert: Any) -> tuple[Any, Any]:
    crossing = SimpleNamespace(hook_names=(), touched=None, convert=convert)
    return SimpleNamespace(crossings_={"there": crossing}), "there"


def _whole_seen(members: Any) -> Any:
    seen: list[Any] = []
    crossed(*_ends(lambda members, way: seen.append(way.whole(members))), members)
    return seen[0]


def test_an_object_alone_is_as_it_was_before_a_move() -> None:
    whole = {"a": 1, "moved": 2}
    way = Way()
    assert _whole_seen(way.take_from(whole)) is whole


def test_a_conversion_that_fails_does_not_change_what_is_seen() -> None:
    """Its own moves are those of other objects."""
    whole = {"a": 1, "moved": 2}
    way = Way()
    copied = way.take_from(whole)

    def fail(members: Any, inner: Way) -> None:
        inner.take_from({"other": 3})
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        crossed(*_ends(fail), {})
    assert _whole_seen(copied) is whole


def test_a_document_is_not_kept_when_its_way_is_over() -> None:
    way = Way()
    way.take_from({"a": 1})
    seen = ref(way)
    del way
    assert seen() is None


def test_a_document_that_a_hook_converts_does_not_change_what_is_seen() -> None:
    whole = {"a": 1, "moved": 2}
    way = Way()
    copied = way.take_from(whole)
    account = resource(
        "batch.example.com/v20220601",
        "BatchAccount",
        "a",
        spec={"encryption": {"activeKey": {"name": "k", "vaultName": "v"}}},
    )
    batch.SCHEME.convert(account, to="v20230501")
    assert _whole_seen(copied) is whole


def test_documents_in_turns_see_what_was_taken_out_of_their_own() -> None:
    whole = {"a": 1, "moved": 2}
    way, other = Way(), Way()
    copied = way.take_from(whole)
    other.take_from({"a": 3})
    assert _whole_seen(copied) is copied
    way.go_on()
    assert _whole_seen(copied) is whole


def test_a_document_goes_on_after_each_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once for each edge; one that goes alone has no pauses."""
    ways: list[Way] = []
    monkeypatch.setattr(Way, "go_on", lambda way: ways.append(way))
    batch.SCHEME.load()
    pool = resource("batch.example.com/v20210101", "Pool", "p", spec={"size": "4"})
    route = batch.SCHEME.route(pool["apiVersion"], "Pool", "v20240701")
    for _ in route.steps(dict(pool)):
        pass
    assert len(ways) == len(route.upward) == 3
    route.convert(dict(pool))
    assert len(ways) == 3
