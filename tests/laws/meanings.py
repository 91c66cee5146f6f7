"""What a stored object means: its members, and what every version would get out of its bags.

Entries that a skip link joins may stand for each other: `v1/tier` and `v3/tier` are one value in
two shapes, and the contract lets a walk leave either of them, or both. Two bags mean the same if
each holder of such a property pulls the same from them, and all other entries are equal.
"""

from __future__ import annotations

from typing import Any

from holdall.graph import neighbours
from holdall_codegen.model import ListOf, MapOf, Ref, Type
from holdall_codegen.plan.model import GroupPlan, LinkEnd, TypeRef
from tests.laws.interpreter import Interpreter
from tests.laws.json_form import ABSENT, BAG, Bag, Json, clone, drop


class Meanings:
    """Tells the meaning of stored objects of one group."""

    def __init__(self, plan: GroupPlan) -> None:
        self._plan = plan
        self._links = Interpreter(plan).links
        self._related = neighbours((edge.older, edge.newer) for edge in plan.edges)
        self._linked = neighbours((link.older, link.newer) for link in plan.links)

    def of(self, ref: TypeRef, document: Json) -> Json:
        """Return the object with linked bag entries replaced by what each holder would pull."""
        planned = self._plan.type(ref)
        meant = {}
        for name, value in document.items():
            if planned.has(name):
                value = self._value(ref.version, planned.member(name).property.type, value)
            meant[name] = value
        if BAG in document:
            meant[BAG] = self._bag(ref, document[BAG])
        return meant

    def _value(self, version: str, type_: Type, value: Any) -> Any:
        match type_:
            case Ref(type_name=name) if isinstance(value, dict):
                return self.of(TypeRef(version, name), value)
            case ListOf(item=inner) if isinstance(value, list):
                return [self._value(version, inner, item) for item in value]
            case MapOf(value=inner) if isinstance(value, dict):
                return {key: self._value(version, inner, item) for key, item in value.items()}
            case _:
                return value

    def _bag(self, ref: TypeRef, bag: Bag) -> Any:
        types = {other.version: other for other in _reachable(self._related, ref)}
        rest = clone(bag)
        pulled: dict[str, Any] = {}
        for origin, entries in bag.items():
            for key, value in entries.items():
                end = LinkEnd(types.get(origin, ref), key)
                if end in self._linked:
                    drop(rest, origin, key)
                    for holder in _reachable(self._linked, end):
                        self._pull(holder, bag, pulled)
                elif origin in types and self._plan.type(types[origin]).has(key):
                    inner = self._plan.type(types[origin]).member(key).property.type
                    rest[origin][key] = self._value(origin, inner, value)
        return {"entries": rest, "pulled": pulled}

    def _pull(self, holder: LinkEnd, bag: Bag, pulled: dict[str, Any]) -> None:
        value = self._links.pull(holder, clone(bag))
        if value is not ABSENT:
            version = holder.type.version
            inner = self._plan.type(holder.type).member(holder.name).property.type
            pulled[f"{holder.type}/{holder.name}"] = self._value(version, inner, value)


def _reachable(graph: dict[Any, list[Any]], start: Any) -> list[Any]:
    seen, queue = {start}, [start]
    for node in queue:
        for other in graph.get(node, ()):
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return queue
