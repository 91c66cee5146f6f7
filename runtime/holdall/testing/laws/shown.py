"""What a version shows of an object: declared values and extras, without kept values."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from holdall.carriers.annotations import SPEC_ANNOTATION, STATUS_ANNOTATION
from holdall.objects.bag import BAG_MEMBER, CREATED_KEY, ORIGINAL_VERSION_MEMBER
from holdall.objects.wire_forms import UNIT, close_tuple, close_union
from holdall.testing.laws.differences import MISSING, Difference, differences
from holdall.types import JsonObject, JsonValue, get, is_json_object, members

_HIDDEN = (BAG_MEMBER, ORIGINAL_VERSION_MEMBER)
_CARRIERS = (SPEC_ANNOTATION, STATUS_ANNOTATION)


def shown(value: JsonValue) -> JsonValue:
    """Return a stored object without bags and recorded versions.

    An empty parent that a move made counts as what it becomes again: absent or null.
    """
    if type(value) is dict:
        if BAG_MEMBER not in value and ORIGINAL_VERSION_MEMBER not in value:
            members = {}
            for key, item in value.items():
                kind = type(item)
                if kind is dict:
                    mark = _made_for_a_move(item)
                    if mark != "absent":
                        members[key] = None if mark == "null" else shown(item)
                else:
                    members[key] = shown(item) if kind is list else item
            return members
        rest = {key: item for key, item in value.items() if key not in _HIDDEN}
        # Without its bag, a union or a tuple has its form on the wire.
        closed = close_union(rest) if UNIT in rest or not rest else close_tuple(rest)
        return shown(closed)
    if type(value) is list:
        return [shown(item) for item in value]
    return value


def shown_differences(
    expected: JsonValue,
    found: JsonValue,
    seen: Callable[[JsonValue], JsonValue] = shown,
) -> Iterator[Difference]:
    """Yield the places where two stored objects show something else.

    A parent that a move made was an empty object for clients: it may be one still.
    """
    for it in differences(seen(expected), seen(found)):
        was_made = it.expected in (MISSING, None) and isinstance(get(expected, *it.path), dict)
        if not was_made or it.found != {}:
            yield it


def api_shown(document: JsonObject) -> JsonObject:
    """Return an API object without the members where its carrier may be."""
    return {key: value for key, value in document.items() if key not in ("metadata", BAG_MEMBER)}


def without_carrier(document: JsonObject) -> JsonObject:
    """Return an API object without the members that carry its bags."""
    rest = {key: value for key, value in document.items() if key != BAG_MEMBER}
    annotations = get(rest, "metadata", "annotations")
    if is_json_object(annotations):
        kept = {key: value for key, value in annotations.items() if key not in _CARRIERS}
        rest["metadata"] = {**members(rest, "metadata"), "annotations": kept}
    return rest


def _made_for_a_move(value: JsonValue) -> str:
    """Return the mark of an object that shows nothing, or nothing but such objects.

    What else its bag keeps may be about a member that is gone: then it goes with that.
    """
    if not isinstance(value, dict):
        return ""
    bag = value.get(BAG_MEMBER)
    if not isinstance(bag, dict):
        return ""
    if any(_made_for_a_move(item) != "absent" for key, item in value.items() if key != BAG_MEMBER):
        return ""
    marks = [it[CREATED_KEY] for it in bag.values() if isinstance(it, dict) and CREATED_KEY in it]
    return str(marks[0]) if len(marks) == 1 else ""
