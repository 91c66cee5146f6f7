"""Whether values made by hooks have their types: a JSON kind that the member may have."""

from __future__ import annotations

from collections.abc import Iterator

from holdall.plan.plans import GroupPlan, ListOf, MapOf, Ref, Scalar, Type, TypeRef
from holdall.testing.laws.once import asked_once
from holdall.testing.laws.subjects import Claimed, Node
from holdall.text.pointer import escape
from holdall.types import JsonObject, JsonValue, json_kind


class Kinds:
    """Knows the types of one group, and the members that hooks claim.

    Other members are not checked: converters copy scalars that both versions have unseen.
    """

    def __init__(self, plan: GroupPlan, claimed: Claimed) -> None:
        self._plan = plan
        self._claimed = frozenset[Node]().union(*claimed.values())

    @asked_once
    def _is_concerned(self, ref: TypeRef) -> bool:
        """Return whether a hook claims anything in objects of a type."""
        types = {type_ for type_, _ in self._claimed}
        return not types.isdisjoint(self._plan.reachable(ref))

    def wrong(
        self, ref: TypeRef, members: JsonObject, at: str = "", *, is_claimed: bool = False
    ) -> Iterator[str]:
        """Yield values in an object that its type does not allow.

        Null is allowed everywhere. Undeclared members may be anything, and so may types with their
        own form on the wire.
        """
        if self._plan.form(ref) != "object" or not (is_claimed or self._is_concerned(ref)):
            return
        for name, type_ in self._plan.types[ref].items():
            if members.get(name) is not None:
                is_own = is_claimed or (ref, name) in self._claimed
                yield from self._wrong(type_, members[name], f"{at}/{escape(name)}", is_own)

    def _wrong(self, type_: Type, value: JsonValue, at: str, is_claimed: bool) -> Iterator[str]:
        expected = ""
        if value is None:
            return
        if isinstance(type_, Scalar):
            if not any(_is(kind, value) for kind in type_.kinds):
                expected = " or ".join(type_.kinds)
        elif isinstance(type_, ListOf):
            for index, item in enumerate(value if type(value) is list else ()):
                yield from self._wrong(type_.item, item, f"{at}/{index}", is_claimed)
            expected = "" if type(value) is list else "list"
        elif isinstance(type_, MapOf):
            for key, item in value.items() if type(value) is dict else ():
                yield from self._wrong(type_.value, item, f"{at}/{escape(key)}", is_claimed)
            expected = "" if type(value) is dict else "object"
        elif isinstance(type_, Ref):
            if type(value) is dict:
                yield from self.wrong(type_.type, value, at, is_claimed=is_claimed)
            elif self._plan.form(type_.type) == "object":
                expected = "object"
        if expected and is_claimed:
            yield f"{at}: expected {expected}, found {json_kind(value)}"


def _is(kind: str, value: JsonValue) -> bool:
    """Return whether a value has a scalar kind; whole numbers may be floats."""
    if kind == "integer":
        return type(value) is int or (type(value) is float and value.is_integer())
    return json_kind(value) == kind or (kind == "number" and type(value) is int)
