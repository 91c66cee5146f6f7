"""Advice about the schemas of a CRD: slots of bags, sizes, lists, embedded resources.

Source: docs/bags.md, "What an API server prunes".
"""

from __future__ import annotations

from typing import Final

from holdall.carriers.annotations import ANNOTATIONS_LIMIT, STATUS_ANNOTATION
from holdall.kubernetes.crds import findings as codes
from holdall.kubernetes.crds.access import EMBEDDED, LIST_TYPE, PRESERVE, schema_of, versions_of
from holdall.kubernetes.crds.findings import Findings
from holdall.kubernetes.crds.slots import is_slot, slot_at
from holdall.kubernetes.crds.structural import walk
from holdall.objects.bag import BAG_MEMBER
from holdall.plan.bag_limits import BagLimits
from holdall.scheme.entries import Kind
from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, items, members, text

_KEY_NAMES: Final = ("name", "key", "id")
_SLOT_FIX: Final = (
    f"declare {BAG_MEMBER} as an object with x-kubernetes-preserve-unknown-fields; "
    "`holdall crd` does so"
)


def check_schemas(crd: JsonValue, findings: Findings, kind: Kind | None) -> None:
    """Record where bags would be pruned, could be forged, or would have no room.

    `kind` says how bags travel; without it, the CRD's slots do.
    """
    versions = [(pointer, version) for pointer, version in versions_of(crd) if schema_of(version)]
    carrier = kind.carrier if kind is not None else None
    limits = kind.limits if kind is not None else BagLimits()
    if len(versions) < 2 or carrier == "none":
        return
    is_field = _check_slot(versions, (), findings, is_wanted=carrier == "field")
    has_slot = _check_slot(versions, ("status",), findings, is_wanted=bool(limits.status_slots))
    if carrier == "annotation" or (carrier is None and not is_field):
        _check_annotations(versions, findings, limits.budget, has_status_slot=has_slot)
    known: set[str] = set()  # report a list only once for all versions
    for pointer, version in versions:
        place = join(pointer, "schema", "openAPIV3Schema")
        for at, node in walk(schema_of(version), place):
            path = at.removeprefix(place)
            if path not in known and _check_list(node, at, findings):
                known.add(path)
            if node.get(EMBEDDED) is True and node.get(PRESERVE) is not True:
                message = "this embedded resource is pruned before the webhook sees it"
                fix = f"add `{PRESERVE}: true`, unless its schema is whole"
                findings.add(codes.EMBEDDED, at, message, fix, "warning")


def _check_slot(
    versions: list[tuple[str, JsonObject]],
    path: tuple[str, ...],
    findings: Findings,
    *,
    is_wanted: bool,
) -> bool:
    """Check the slots at one place of all versions, and return whether they are intended.

    They are if the project wants them, or if one version has a slot.
    """
    steps = [part for name in path for part in ("properties", name)]
    holders = [members(schema_of(version), *steps) for _, version in versions]
    is_declared = any(BAG_MEMBER in members(holder, "properties") for holder in holders)
    if not is_declared and not is_wanted:
        return False
    for holder, (pointer, version) in zip(holders, versions, strict=True):
        slot, name = slot_at(holder), text(version, "name")
        at = join(pointer, "schema", "openAPIV3Schema", *steps)
        if not holder:
            continue
        what = f"the {path[-1]} of {name}" if path else name
        if slot is None:
            message = f"{what} has no slot {BAG_MEMBER}, so the bag is pruned there and lost"
            findings.add(codes.NO_SLOT, at, message, _SLOT_FIX)
        elif not is_slot(slot):
            message = f"the slot {BAG_MEMBER} of {what} does not keep all members"
            findings.add(codes.NO_SLOT, join(at, "properties", BAG_MEMBER), message, _SLOT_FIX)
    return True


def _check_annotations(
    versions: list[tuple[str, JsonObject]],
    findings: Findings,
    budget: int,
    *,
    has_status_slot: bool,
) -> None:
    stored = [at for at, version in versions if version.get("storage") is True]
    pointer = stored[0] if stored else versions[0][0]
    has_status = any("status" in members(schema_of(v), "properties") for _, v in versions)
    if has_status and not has_status_slot:
        message = (
            f"what a version cannot express of the status travels in {STATUS_ANNOTATION}, which "
            "anyone who may write the main resource can forge"
        )
        fix = "declare a slot in the status (`status_slot: true`), or accept it"
        findings.add(codes.FORGEABLE, pointer, message, fix, "note")
    # `kubectl apply` keeps the whole object beside the bag.
    room = ANNOTATIONS_LIMIT - budget
    sizes = [largest(schema_of(version)) for _, version in versions]
    bound = None if None in sizes else max(size for size in sizes if size is not None)
    if bound is None or bound > room:
        shown = "is unlimited" if bound is None else f"is up to {bound} bytes"
        message = (
            f"the size of an object {shown}: beyond {room} bytes `kubectl apply` and the bag do "
            f"not both fit into the {ANNOTATIONS_LIMIT} bytes of all annotations"
        )
        fix = "apply large objects with --server-side, or limit lists, maps and texts"
        at = join(pointer, "schema", "openAPIV3Schema")
        findings.add(codes.NO_HEADROOM, at, message, fix, "note")


def _check_list(node: JsonObject, at: str, findings: Findings) -> bool:
    """Record a list of objects without keys, and return whether it is one."""
    element = members(node, "items")
    if node.get(LIST_TYPE) in ("map", "set") or element.get("type") != "object":
        return False
    names = [name for name in _KEY_NAMES if name in members(element, "properties")]
    keys = [name for name in names if name in items(element, "required")] or names
    message = "the objects of this list have no declared keys, so bags find them by content"
    fix = (
        f"if {keys[0]} identifies them: x-kubernetes-list-type: map, "
        f"x-kubernetes-list-map-keys: [{keys[0]}], and require it"
        if keys
        else "declare keys if a member identifies them; otherwise nothing can be done"
    )
    findings.add(codes.NO_KEYS, at, message, fix, "note")
    return True


_SCALARS = {"boolean": 5, "integer": 20, "number": 24}
_CHARACTER = 6
"""Maximum bytes of one character, as an escape."""


def largest(schema: JsonValue) -> int | None:
    """Return the maximum bytes of a value under a schema, None if there is no limit.

    Metadata is not counted. Ignores alternatives and `allOf`, which only restrict further.
    """
    node = members(schema)
    if options := items(node, "enum"):
        return max(len(json.encode(option)) for option in options)
    match node.get("type"):
        case "boolean" | "integer" | "number" as scalar:
            return _SCALARS[str(scalar)]
        case "string":
            count = node.get("maxLength")
            return count * _CHARACTER + 2 if isinstance(count, int) else None
        case "array":
            most, size = node.get("maxItems"), largest(node.get("items"))
            return 2 + most * (size + 1) if isinstance(most, int) and size is not None else None
        case "object":
            return _largest_object(node)
        case _:
            return None


def _largest_object(node: JsonObject) -> int | None:
    if node.get(PRESERVE) is True:
        return None
    if "additionalProperties" in node:
        return None  # keys have no bound
    total = 2
    for name, part in members(node, "properties").items():
        if name == "metadata":
            continue
        size = largest(part)
        if name in ("apiVersion", "kind") and size is None:
            size = 256
        if size is None:
            return None
        total += len(json.encode(name)) + 2 + size
    return total
