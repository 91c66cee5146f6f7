"""Mount options: text with commas in v20210101, a list from v20220601 on."""

from __future__ import annotations

from typing import cast

from generated.batch.v20210101.storage import AssignableMount, Mount
from generated.batch.v20220601 import storage as v20220601
from holdall import BagView, JsonValue, claims, is_null, override, set_null
from holdall.json import same


class MountOptions(AssignableMount):
    """Splits the text at its commas and joins the list with commas.

    Not every list comes back from its text: `[]` joins to what `[""]` joins to, and an option
    may hold a comma. Such a list is kept in the bag, and is good for as long as the text is the
    one it was joined to. The hook runs for every mount of a pool.
    """

    @override
    @claims(reads=["options", "bag:options"], writes=["options"])
    def assign_properties_to(
        self, source: Mount, destination: v20220601.Mount, bag: BagView
    ) -> None:
        kept = bag.get("options")
        if is_null(source, "options"):
            set_null(destination, "options")
        elif isinstance(kept, list) and same(_join(kept), source.options):
            destination.options = cast(list[str], kept)
        elif source.options is not None:
            destination.options = cast(list[str], _split(source.options))

    @override
    @claims(reads=["options"], writes=["options", "bag:options"])
    def assign_properties_from(
        self, source: v20220601.Mount, destination: Mount, bag: BagView
    ) -> None:
        if is_null(source, "options"):
            set_null(destination, "options")
        elif source.options is not None:
            options = cast(list[JsonValue], source.options)
            destination.options = _join(options)
            if destination.options is None or not same(_split(destination.options), options):
                bag.put("options", options)


def _split(text: str) -> list[JsonValue]:
    return [*text.split(",")]


def _join(options: list[JsonValue]) -> str | None:
    """Return the options as one text; none if a member is no string and so has no place in it."""
    names = [option for option in options if isinstance(option, str)]
    return ",".join(names) if len(names) == len(options) else None
