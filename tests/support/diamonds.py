"""Types that hold the next one twice: forty of them are forty, and have 2 ** 40 places."""

from __future__ import annotations

from typing import Any

from tests.support.projects import group_of

LEVELS = 40


def diamond_group(levels: int = LEVELS) -> tuple[str, dict[str, str]]:
    """Return configuration and files of a group whose innermost type has `more` at v2 only."""
    more = {"v1": {}, "v2": {"more": {"type": "string"}}}
    return group_of({name: _schema(levels, said) for name, said in more.items()}, api_group=None)


def at_the_bottom(value: dict[str, str], levels: int = LEVELS) -> dict[str, Any]:
    """Return a spec that holds one innermost object, by turns in one member and the other."""
    found: dict[str, Any] = value
    for level in range(levels):
        found = {"ab"[level % 2]: found}
    return found


def _schema(levels: int, more: dict[str, Any]) -> dict[str, Any]:
    def ref(level: int) -> dict[str, str]:
        return {"$ref": f"#/$defs/T{level}"}

    types: dict[str, Any] = {
        f"T{level}": {
            "type": "object",
            "properties": {"a": ref(level + 1), "b": ref(level + 1)},
        }
        for level in range(levels)
    }
    types[f"T{levels}"] = {"type": "object", "properties": {"text": {"type": "string"}, **more}}
    return {"$defs": types, "type": "object", "properties": {"spec": ref(0)}}
