"""Maps that are lists with their keys in the elements, interpreted on plain JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from holdall.text.json import same
from holdall_codegen.plan.model import Keyed
from tests.laws.interpreter_measures import MisfitError
from tests.laws.json_form import ABSENT, Json, clone

Act = Callable[[Any], Any]


def listed(lens: Keyed, value: Any, act: Act) -> list[Json]:
    """Return the list for a map; `act` makes an element's part of a value."""
    if type(value) is not dict:
        raise MisfitError("expected a map")
    return [element(lens, name, act(value[name])) for name in sorted(value)]


def element(lens: Keyed, name: str, part: Any) -> Json:
    """Return an element of the list."""
    return {lens.key: name} | ({lens.value: part} if lens.value else part or {}) | {lens.key: name}


def mapped(lens: Keyed, value: Any, act: Act) -> Json:
    """Return the map for a list; `act` makes a value of an element's part."""
    if type(value) is not list:
        raise MisfitError("expected a list")
    made: Json = {}
    names: set[str] = set()
    for item in value:
        name = item.get(lens.key) if isinstance(item, dict) else None
        if not isinstance(name, str) or name in names:
            raise MisfitError("a key is missing, or there twice")
        names.add(name)
        part = part_of(lens, item)
        if part is not ABSENT:
            made[name] = act(part)
    return made


def part_of(lens: Keyed, item: Json) -> Any:
    """Return what of an element is in the value of the map; ABSENT if nothing is."""
    if lens.value:
        return item.get(lens.value, ABSENT)
    return {name: member for name, member in item.items() if name != lens.key}


def apart(lens: Keyed, items: list[Any]) -> list[tuple[Any, Any]]:
    """Return of each element what is not in the value of the map, and what is."""
    found: list[tuple[Any, Any]] = []
    for item in items:
        if not isinstance(item, dict):
            found.append((item, None))
            continue
        beside = {name: item[name] for name in item if name != lens.value}
        found.append((beside if lens.value else item.get(lens.key), part_of(lens, item)))
    return found


def merged_list(
    lens: Keyed, kept: Any, fresh: list[Json], live: Json, shown: Act, merge: Any
) -> Any:
    """Return the kept list with the values of a map that was edited.

    `shown` says what an element's part is in the map, `merge` joins a kept part with a new value.
    """
    new = {item[lens.key]: item for item in fresh}
    found = []
    for old in kept:
        name, part = old[lens.key], part_of(lens, old)
        if name not in new:
            if part is ABSENT:
                found.append(clone(old))
            continue
        made = part_of(lens, new.pop(name))
        if part is ABSENT:
            found.append({**clone(old), lens.value: made})
        elif same(shown(part), live[name]):
            found.append(clone(old))
        else:
            part = merge(part, live[name], made)
            found.append(
                {**clone(old), lens.value: part} if lens.value else element(lens, name, part)
            )
    return [*found, *new.values()]


def merged_map(
    lens: Keyed, kept: Json, fresh: Json, live: list[Json], shown: Act, merge: Any
) -> Json:
    """Return the values of a list that was edited, with what the kept ones hold beside them."""
    found = dict(fresh)
    for item in live:
        name = item[lens.key]
        if name not in kept or name not in fresh:
            continue
        if same(element(lens, name, shown(kept[name])), item):
            found[name] = clone(kept[name])
        else:
            found[name] = merge(kept[name], part_of(lens, item), fresh[name])
    return found
