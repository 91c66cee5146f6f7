"""Which element of a list and which value of a map are the same, where keys join the two."""

from __future__ import annotations

from holdall.text.pointer import split
from holdall.types import JsonValue, is_json_object


def keys_of(lens: str) -> tuple[str, ...]:
    """Return the member that is the key, and the one that is the value, if that is declared."""
    return split(f"/{lens.removeprefix('keyed: ').removesuffix(', lenient')}")


def key_of_element(element: JsonValue, key: str) -> str:
    """Return the key of an element of a list; one that it lacks is an empty text."""
    found = element.get(key) if is_json_object(element) else None
    return found if isinstance(found, str) else ""


def last_with(elements: JsonValue, key: str, name: str) -> int | None:
    """Return which element has a key: the last one, if there are several."""
    listed = enumerate(elements) if isinstance(elements, list) else ()
    found = [index for index, element in listed if key_of_element(element, key) == name]
    return found[-1] if found else None
