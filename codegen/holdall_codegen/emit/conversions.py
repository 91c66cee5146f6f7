"""Emitting conversions of values: straight code where nothing can be lost, else a table entry."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol

from holdall_codegen.emit.codec import quoted
from holdall_codegen.emit.lines import Call, Expression
from holdall_codegen.model import ListOf, MapOf, Ref, Type
from holdall_codegen.plan import model as plan
from holdall_codegen.plan.model import TypeRef


class ClassName(Protocol):
    """How a module names types, and the order of their versions."""

    def __call__(self, ref: TypeRef) -> str: ...

    def order(self, ref: TypeRef) -> int: ...


def straight(
    conversion: plan.Conversion, value: str, class_name: ClassName, *, to: bool
) -> Expression:
    """Return the expression that converts a value which nothing can be lost of.

    `to` is the direction, older to newer; the helpers pass None through.
    """
    match conversion:
        case plan.Same():
            return value
        case plan.Copy(shallow="list"):
            return Call("h.copy_list(", [value])
        case plan.Copy(shallow="map"):
            return Call("h.copy_map(", [value])
        case plan.Copy():
            return Call("h.copy_json(", [value])
        case plan.Recurse(steps=steps):
            hops = steps if to else steps[::-1]
            expression: Expression = value
            for before, after in pairwise(hops):
                upward = class_name.order(before) < class_name.order(after)
                helper = "h.converted_to(" if upward else "h.converted_from("
                expression = Call(helper, [expression, class_name(after)])
            return expression
        case plan.Each(container=container, inner=plan.Recurse(steps=steps)) if len(steps) == 2:
            stem = "each" if container == "list" else "values"
            target = steps[1] if to else steps[0]
            return Call(f"h.{stem}_{'to' if to else 'from'}(", [value, class_name(target)])
        case plan.Each(container=container, inner=inner):
            act = straight(inner, "item", class_name, to=to)
            stem = "list" if container == "list" else "map"
            body = act if isinstance(act, Call) else Call(str(act), [])
            act = Call(f"lambda item: {body.head}", body.items, body.tail)
            return Call(f"h.map_{stem}(", [value, act])
        case _:
            raise ValueError(conversion)


def table(conversion: plan.Conversion, class_name: ClassName) -> Expression:
    """Return a conversion as the runtime's table entry."""
    match conversion:
        case plan.Same() | plan.Copy():
            return "h.same()"
        case plan.Recurse(steps=steps):
            expression: Expression = ""
            for before, after in pairwise(steps):
                hop = _hop(before, after, class_name)
                expression = Call("h.chain(", [expression, hop]) if expression else hop
            return expression
        case plan.Each(container=container, inner=inner):
            name = "h.each(" if container == "list" else "h.values("
            return Call(name, [table(inner, class_name)])
        case plan.Kinds(older=older, newer=newer):
            return Call("h.kinds(", [_strings(older), _strings(newer)])
        case plan.RenamedValues(names=names):
            pairs: list[Expression] = [f"{quoted(a)}: {quoted(b)}" for a, b in names]
            return Call("h.renamed_values(", [Call("{", pairs, "}")])
        case plan.Wrap(inner=inner):
            return Call("h.wrap(", [table(inner, class_name)])
        case plan.Reference(type=ref, member=member, attribute=attribute):
            return Call("h.reference(", [class_name(ref), quoted(member), quoted(attribute)])
        case plan.Opened(version=version, newer=newer):
            return Call("h.opened(", [form(newer, version, class_name)])
        case plan.Flipped(inner=inner):
            return Call("h.flipped(", [table(inner, class_name)])
        case plan.Through():
            items: list[Expression] = []
            for end, type_ in (
                (conversion.older, conversion.older_type),
                (conversion.newer, conversion.newer_type),
            ):
                form_ = form(type_, end.type.version, class_name)
                items.extend([class_name(end.type), quoted(end.name), form_])
            return Call("h.through(", items)


def _hop(before: TypeRef, after: TypeRef, class_name: ClassName) -> Expression:
    ends = sorted((before, after), key=class_name.order)
    hop = Call("h.recurse(", [class_name(ref) for ref in ends])
    return hop if ends[0] == before else Call("h.flipped(", [hop])


def form(type_: Type, version: str, class_name: ClassName) -> Expression:
    """Return how values of a type stand in a bag."""
    match type_:
        case Ref():
            return Call("h.ObjectForm(", [class_name(TypeRef(version, type_.type_name))])
        case ListOf():
            return Call("h.EachForm(", [form(type_.item, version, class_name), "list"])
        case MapOf():
            return Call("h.EachForm(", [form(type_.value, version, class_name), "dict"])
        case _:
            return "h.PLAIN"


def _strings(values: tuple[str, ...]) -> Expression:
    return Call("(", [quoted(value) for value in values])
