"""How a parcel wants to be handled: words with commas in v1, a list in v2."""

from __future__ import annotations

from typing import Any

from generated.post.v1.storage import AssignableParcelSpec
from holdall import Composed, Members, TwoWay, override


class Words(TwoWay):
    """Splits the words at their commas, and joins the list with commas."""

    older = newer = ("handling",)

    @override
    def to_newer(self, older: Members) -> Members:
        text = older.get("handling")
        return {"handling": text.split(",")} if isinstance(text, str) else older

    @override
    def to_older(self, newer: Members) -> Members:
        words: list[Any] | None = newer.get("handling")
        if words is None:
            return newer
        if all(isinstance(word, str) for word in words):
            return {"handling": ",".join(words)}
        return {}


class Handling(Composed, AssignableParcelSpec):
    """The specs of parcels."""

    parts = (Words(),)
