"""Whether the elements of a list are known again under another plan, as carriers name them.

Source: property-conversion contract, section 5.14.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from holdall.plan.plans import GroupPlan, ListOf, TypeRef, object_within
from holdall.text import json


def other_elements(before: GroupPlan, was: ListOf, after: GroupPlan, is_: ListOf) -> str:
    """Return why elements of a list may not be known again as before; empty if they are."""
    if was.keys != is_.keys:
        return f"its keys were {_named(was.keys)}, and are {_named(is_.keys)} now"
    ends = object_within(was), object_within(is_)
    if ends[0] is None or ends[1] is None:
        return ""
    if was.keys:
        ends_of = before, ends[0], after, ends[1]
        keys = [key for key in was.keys if _has_other_default(*ends_of, key)]
        return f"the default of its key {keys[0]} is another one now" if keys else ""
    return next(_other_content(before, ends[0], after, ends[1]), "")


def _other_content(
    before: GroupPlan, was: TypeRef, after: GroupPlan, is_: TypeRef
) -> Iterator[str]:
    """Yield what makes an element look different under another plan, at any depth."""
    work, seen = deque([(was, is_)]), {was}
    while work:
        one, other = work.popleft()
        for name, type_ in before.types[one].items():
            now = after.types[other].get(name)
            if now is None:
                yield f"its elements are known by what they show, and {other} has no {name} now"
                continue
            if _has_other_default(before, one, after, other, name):
                yield (
                    "its elements are known by what they show,"
                    f" and {other} {name} has another default now"
                )
            inner = object_within(type_), object_within(now)
            if inner[0] is not None and inner[1] is not None and inner[0] not in seen:
                seen.add(inner[0])
                work.append((inner[0], inner[1]))


def _has_other_default(
    before: GroupPlan, was: TypeRef, after: GroupPlan, is_: TypeRef, name: str
) -> bool:
    if before.defaults is None or after.defaults is None:
        return False
    return not json.same(
        before.defaults.get(was, {}).get(name), after.defaults.get(is_, {}).get(name)
    )


def _named(keys: tuple[str, ...]) -> str:
    return ", ".join(keys) or "none"
