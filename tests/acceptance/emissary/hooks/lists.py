"""Lists that v2 has in other forms: ids of Ambassadors, origins, headers that become tags."""

from typing import Any, Final

from holdall import Members, TwoWay

PREFIX: Final = "--apiVersion-v3alpha1-only--"


class AmbassadorId(TwoWay):
    """In v2 an id of the newer version carries a prefix, and absent means the default (R-AID).

    A Host of v2 has a second list in `alias`, which is appended to the first (R-HOSTAID).
    """

    newer = ("ambassador_id",)

    def __init__(self, *alias: str) -> None:
        self.older = ("ambassador_id", *alias)

    def to_newer(self, older: Members) -> Members:
        lists = [as_list(older[name]) for name in self.older if name in older]
        ids = [id_.removeprefix(PREFIX) for ids in lists for id_ in _texts(ids)]
        return {"ambassador_id": ids} if ids or [] in lists else {}

    def to_older(self, newer: Members) -> Members:
        ids = newer.get("ambassador_id")
        bare = [id_.removeprefix(PREFIX) for id_ in _texts(["default"] if ids is None else ids)]
        return {"ambassador_id": [PREFIX + id_ for id_ in bare]} if bare else {}


class Origins(TwoWay):
    """The origins of v2 may be one text with commas (R-CORS)."""

    older = ("origins",)
    newer = ("origins", "v2CommaSeparatedOrigins")

    def to_newer(self, older: Members) -> Members:
        origins = older.get("origins")
        if not isinstance(origins, str):
            return older
        return {"origins": origins.split(","), "v2CommaSeparatedOrigins": True}

    def to_older(self, newer: Members) -> Members:
        is_joined = newer.pop("v2CommaSeparatedOrigins", None) is True
        origins = newer.get("origins")
        return {"origins": ",".join(_texts(origins))} if is_joined and origins else newer


class TagHeaders(TwoWay):
    """Each tag header is a custom tag in the other version, unless that has its own (R-TAGS)."""

    older = ("tag_headers", "v3CustomTags")
    newer = ("tag_headers", "custom_tags")

    def to_newer(self, older: Members) -> Members:
        return _tags(older, "v3CustomTags", "custom_tags")

    def to_older(self, newer: Members) -> Members:
        return _tags(newer, "custom_tags", "v3CustomTags")


def _tags(members: Members, here: str, there: str) -> Members:
    tags, headers = members.get(here), members.get("tag_headers")
    if tags is None and headers:
        tags = [{"tag": name, "request_header": {"name": name}} for name in headers]
    return {there: tags} if tags is not None or here in members else {}


def as_list(value: Any) -> Any:
    """Return the list of one that a text stands for, and anything else as it is."""
    return [value] if isinstance(value, str) else value


def _texts(values: Any) -> list[str]:
    return [text for text in values if isinstance(text, str)] if isinstance(values, list) else []
