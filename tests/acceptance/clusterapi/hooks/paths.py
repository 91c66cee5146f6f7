"""Values in nested objects, by path."""

from typing import Any

from holdall import Members

Path = list[str]


def taken(members: Members, path: Path) -> Any:
    """Take a value out of objects; None if it is not there."""
    name, *rest = path
    if not rest:
        return members.pop(name, None)
    return taken(inner, rest) if isinstance(inner := members.get(name), dict) else None


def pruned(value: Any, nothing: Any) -> Any:
    """Return a value without nulls, empty objects and what else is nothing; None if so is it."""
    if isinstance(value, dict):
        inner = {name: pruned(item, nothing) for name, item in value.items()}
        return {name: item for name, item in inner.items() if item is not None} or None
    return None if value == nothing else value


def put(members: Members, path: Path, value: Any) -> None:
    """Put a value into objects, which are made where they are missing; what is there stays."""
    if value is None:
        return
    *above, name = path
    for step in above:
        members = _filled(members, step, {})
        if not isinstance(members, dict):
            return
    there = _filled(members, name, value)
    if isinstance(value, dict) and isinstance(there, dict) and there is not value:
        for inner, item in value.items():
            put(there, [inner], item)


def _filled(members: Members, name: str, value: Any) -> Any:
    """Return the value of a member; one that is absent or null gets this one."""
    if members.get(name) is None:
        members[name] = value
    return members[name]
