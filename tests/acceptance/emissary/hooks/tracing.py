"""The tags of traces."""

from __future__ import annotations

from holdall import Members, TwoWay, override


class TagHeaders(TwoWay):
    """Each tag header is a custom tag in the other version, unless that has its own (R-TAGS)."""

    older = ("tag_headers", "v3CustomTags")
    newer = ("tag_headers", "custom_tags")

    @override
    def to_newer(self, older: Members) -> Members:
        return _translated(older, "v3CustomTags", "custom_tags")

    @override
    def to_older(self, newer: Members) -> Members:
        return _translated(newer, "custom_tags", "v3CustomTags")


def _translated(members: Members, custom: str, there: str) -> Members:
    tags = members.get(custom)
    if tags is None and members.get("tag_headers"):
        names = members["tag_headers"]
        tags = [{"tag": name, "request_header": {"name": name}} for name in names]
    return {there: tags} if tags is not None or custom in members else {}
