"""Objects that are not objects on the wire: unions and tuples.

An externally tagged union is `"Plain"` or `{"Tls": {…}}`: an object with one member, where the
bare name is the value of the member `$unit`. A tuple is a list: an object with the members `0`,
`1` and so on. Stored forms that carry a bag stay objects.
"""

from __future__ import annotations

from typing import Any, Final

from holdall.objects.base import Object

UNIT: Final = "$unit"


def close_union(members: dict[str, Any]) -> Any:
    """Return members in the form on the wire: a bare name if there is nothing else."""
    if len(members) == 1 and UNIT in members:
        return members[UNIT]
    return members


def close_tuple(members: dict[str, Any]) -> Any:
    """Return members in the form on the wire: a list if they are all its elements."""
    if all(str(index) in members for index in range(len(members))):
        return [members[str(index)] for index in range(len(members))]
    return members


def opened_union(value: Any) -> Any:
    """Return the members of a union; anything else unchanged."""
    return {UNIT: value} if type(value) is str else value


def opened_tuple(value: Any) -> Any:
    """Return the members of a tuple; anything else unchanged."""
    if type(value) is not list:
        return value
    return {str(index): item for index, item in enumerate(value)}


class Union(Object):
    """Base of the API types of unions: at most one member is set, `unit` for a bare name."""

    __slots__ = ()
    FORM = "union"
    open_wire = staticmethod(opened_union)
    close_wire = staticmethod(close_union)


class Tuple(Object):
    """Base of the API types of tuples; the members are the elements."""

    __slots__ = ()
    FORM = "tuple"
    open_wire = staticmethod(opened_tuple)
    close_wire = staticmethod(close_tuple)
