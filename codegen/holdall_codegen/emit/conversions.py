"""Emitting conversions of values for the tables of the runtime."""

from __future__ import annotations

from itertools import pairwise

from holdall.plan.plans import TypeRef
from holdall_codegen.config.model import Constant, Fallback, Function, Step, VariantFacts
from holdall_codegen.emit.lines import Call, Expression, Keyword, keywords, literal, quoted, texts
from holdall_codegen.model import ListOf, MapOf, Ref, Scalar, Type
from holdall_codegen.plan import model as plan
from holdall_codegen.plan.model import GroupPlan


class TypeNames:
    """The names of types in the storage module of one version, with the module for other versions.

    `used` are the modules of other versions that it has named.
    """

    def __init__(self, group: GroupPlan, version: str) -> None:
        self._modules = {item.name: item.module for item in group.versions}
        self._order = {item.name: index for index, item in enumerate(group.versions)}
        self._version = version
        self.used: set[str] = set()

    def __call__(self, ref: TypeRef) -> str:
        if ref.version == self._version:
            return ref.name
        module = self._modules[ref.version]
        self.used.add(module)
        return f"{module}.{ref.name}"

    def order(self, ref: TypeRef) -> int:
        return self._order[ref.version]


def table(conversion: plan.Conversion, class_name: TypeNames) -> Expression:
    """Return a conversion as an entry of the runtime's tables."""
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
            return Call("h.kinds(", [texts(older), texts(newer)])
        case plan.RenamedValues(names=names):
            return Call("h.renamed_values(", [literal(dict(names))])
        case plan.Wrap(inner=inner):
            return Call("h.wrap(", [table(inner, class_name)])
        case plan.HidesZero(side=side, inner=inner):
            return Call("h.hides_zero(", [table(inner, class_name), quoted(side)])
        case plan.Reference(type=ref, member=member):
            return Call("h.reference(", [class_name(ref), quoted(member)])
        case plan.Measure(lens=lens, unit=unit, kind=kind):
            return Call(f"h.{lens}(", [quoted(unit), quoted(kind)])
        case plan.Keyed(type=ref, key=key, value=value, inner=inner, lenient=lenient):
            made: list[Expression] = [class_name(ref), quoted(key), table(inner, class_name)]
            made += [quoted(value)] if value else []
            return Call("h.keyed(", [*made, *keywords(lenient=lenient)])
        case plan.Opened(version=version, newer=newer):
            return Call("h.opened(", [form(newer, version, class_name)])
        case plan.Flipped(inner=inner):
            return Call("h.flipped(", [table(inner, class_name)])
        case plan.Chain(first=first, second=second):
            return Call("h.chain(", [table(first, class_name), table(second, class_name)])
        case plan.Through():
            items: list[Expression] = []
            for end, type_ in (
                (conversion.older, conversion.older_type),
                (conversion.newer, conversion.newer_type),
            ):
                form_ = form(type_, end.type.version, class_name)
                items.extend([class_name(end.type), quoted(end.name), form_])
            return Call("h.through(", items)
        case plan.Computed():
            return _computed(conversion, class_name)
        case plan.Variants(facts=facts):
            return Call("h.variants(", [literal({**facts.names}), *lone_variants(facts)])


def _computed(conversion: plan.Computed, class_name: TypeNames) -> Expression:
    items: list[Expression] = [
        form(conversion.older, conversion.versions[0], class_name, checked=True),
        form(conversion.newer, conversion.versions[1], class_name, checked=True),
        _step(conversion.upgrade, conversion, class_name),
        _step(conversion.downgrade, conversion, class_name),
    ]
    items += keywords(
        null_older=conversion.null_older,
        null_newer=conversion.null_newer,
        json_older=conversion.json_older,
        json_newer=conversion.json_newer,
        may_raise=conversion.may_raise,
    )
    return Call("h.computed(", items)


def _step(step: Step, conversion: plan.Computed, class_name: TypeNames) -> Expression:
    match step:
        case Function() | Constant():
            return _given(step)
        case _ if conversion.implicit is not None:
            return table(conversion.implicit, class_name)
        case _:
            raise ValueError(conversion)


def _given(value: Function | Constant) -> Expression:
    if isinstance(value, Function):
        return Call("h.function(", [quoted(value.path)])
    return Call("h.constant(", [literal(value.value)])


def lone_variants(facts: VariantFacts) -> list[Expression]:
    """Return the keyword arguments for variants of one side only."""
    return [
        Keyword(name, Call("{", [Keyword(quoted(it), _fallback(lone[it])) for it in lone], "}"))
        for name, lone in (("only_older", facts.only_older), ("only_newer", facts.only_newer))
        if lone
    ]


def _fallback(value: Fallback) -> Expression:
    match value:
        case Function() | Constant():
            return _given(value)
        case str():
            return quoted(value)
        case _:
            return "h.FAIL"


def _hop(before: TypeRef, after: TypeRef, class_name: TypeNames) -> Expression:
    ends = sorted((before, after), key=class_name.order)
    hop = Call("h.recurse(", [class_name(ref) for ref in ends])
    return hop if ends[0] == before else Call("h.flipped(", [hop])


def form(type_: Type, version: str, class_name: TypeNames, *, checked: bool = False) -> Expression:
    """Return the form in which a bag keeps values of a type; `checked` refuses unfit scalars."""
    match type_:
        case Scalar() if checked:
            items: list[Expression] = [quoted(type_.kind)]
            if type_.kind == "integer" and type_.format:
                items.append(quoted(type_.format))
            return Call("h.scalar(", items)
        case Ref():
            return Call("h.ObjectForm(", [class_name(TypeRef(version, type_.type_name))])
        case ListOf():
            inner = form(type_.item, version, class_name, checked=checked)
            return Call("h.EachForm(", [inner, "list"])
        case MapOf():
            inner = form(type_.value, version, class_name, checked=checked)
            return Call("h.EachForm(", [inner, "dict"])
        case _:
            return "h.PLAIN"
