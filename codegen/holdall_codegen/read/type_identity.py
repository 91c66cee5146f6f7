"""Which object types of a version are one: same candidate name, same structure to any depth."""

from __future__ import annotations

from collections.abc import Mapping

from holdall_codegen.model import ListOf, MapOf, Ref, Scalar, Type, innermost
from holdall_codegen.read.drafts import Draft


def classify(drafts: Mapping[str, Draft], pins: Mapping[str, str]) -> dict[str, int]:
    """Return the class of each draft, by id; drafts of one class may share one type.

    Structure is: wire names, types with enums and list keys, required, nullable, whether unknown
    members are kept. Docs, defaults and formats do not count. Kinds and their members are alone in
    their classes. `pins` are names that tell equal drafts apart. Classes are refined until nothing
    changes, so recursive types compare as the infinite trees they stand for.
    """
    ordered = sorted(drafts.values(), key=lambda draft: draft.id)
    classes = _number({d.id: (_own(d), pins.get(d.id, "")) for d in ordered})
    children = {draft.id: _children(draft) for draft in ordered}
    while True:
        refined = _number(
            {
                draft.id: (
                    classes[draft.id],
                    tuple(classes[child] for child in children[draft.id]),
                )
                for draft in ordered
            }
        )
        if len(set(refined.values())) == len(set(classes.values())):
            return refined
        classes = refined


def _number(keys: Mapping[str, object]) -> dict[str, int]:
    numbers: dict[object, int] = {}
    return {name: numbers.setdefault(key, len(numbers)) for name, key in keys.items()}


def _own(draft: Draft) -> tuple[object, ...]:
    alone = draft.id if draft.role in ("kind", "member") else ""
    properties = sorted(draft.properties, key=lambda item: item.name)
    return (
        draft.role,
        alone,
        draft.candidate,
        draft.preserve_unknown,
        draft.has_slot,
        tuple((p.name, _outline(p.type), p.required, p.nullable) for p in properties),
    )


def _outline(value: Type) -> tuple[object, ...]:
    if isinstance(value, Scalar):
        return ("scalar", value.kind, tuple(repr(item) for item in value.enum))
    if isinstance(value, ListOf):
        return ("list", value.list_type, value.map_keys, value.item_nullable, _outline(value.item))
    if isinstance(value, MapOf):
        return ("map", value.value_nullable, _outline(value.value))
    if isinstance(value, Ref):
        return ("ref",)
    return ("other", value)


def _children(draft: Draft) -> list[str]:
    properties = sorted(draft.properties, key=lambda item: item.name)
    held = (innermost(item.type)[0] for item in properties)
    return [value.type_name for value in held if isinstance(value, Ref)]
