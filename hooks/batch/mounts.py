"""Mount options: text with commas in v20210101, a list from v20220601 on."""

from __future__ import annotations

from typing import Any

from generated.batch.v20210101.storage import AssignableMount
from holdall import Composed, Members, TwoWay, override


class CommaSeparated(TwoWay):
    """Splits the text at its commas and joins the list with commas.

    Not every list comes back from its text: `[]` joins to what `[""]` joins to, an option may
    hold a comma, and one that is not a text has no place in it. What does not come back is kept.
    """

    older = newer = ("options",)

    @override
    def to_newer(self, older: Members) -> Members:
        text = older.get("options")
        return {"options": text.split(",")} if isinstance(text, str) else older

    @override
    def to_older(self, newer: Members) -> Members:
        options: list[Any] | None = newer.get("options")
        if options is None:
            return newer
        if all(isinstance(option, str) for option in options):
            return {"options": ",".join(options)}
        return {}


class MountOptions(Composed, AssignableMount):
    """The mounts of a pool."""

    parts = (CommaSeparated(),)
