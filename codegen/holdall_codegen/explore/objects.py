"""Objects at every version: what clients see, what is in bags, and what an edit changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from holdall.errors import ConversionError, HoldallError
from holdall.explain.audit import audit
from holdall.explain.fates import FieldFate, fates
from holdall.kubernetes.conform.values import Path, leaves_of, replaced
from holdall.objects.heads import head_members
from holdall.scheme.entries import Kind
from holdall.scheme.scheme import Scheme
from holdall.scheme.schemes import Schemes
from holdall.text import json
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object

_TRIES: Final = 12
_PLAIN: Final = frozenset(("copied", "recursed into", "stays as it is", "set by holdall"))


@dataclass(frozen=True, slots=True)
class Given:
    """An object to show: its title, its origin, and its value."""

    title: str
    where: str
    value: JsonObject


def object_value(schemes: Schemes[Scheme], given: Given, *, with_edits: bool = True) -> JsonObject:
    """Return an object at every served version of its kind, with an error for failed views.

    Raises UnknownKindError if the project does not have its kind, ConversionError if it only has
    documents of the project as text.
    """
    api_version, kind = schemes.names_of(given.value)
    schemes.route(api_version, kind, api_version)
    scheme = schemes.find(api_version, kind)
    if scheme is None:  # a route comes from a scheme
        raise LookupError(kind)
    if scheme.is_foreign_holder(api_version, kind):
        text = f"{kind} is not a kind of the project: paste the document that it has as text"
        raise ConversionError(text)
    versions = served_versions(scheme, kind)
    views: dict[str, JsonObject] = {
        version: _view(scheme, given.value, version) for version in versions
    }
    value: JsonObject = {
        "title": given.title,
        "where": given.where,
        "group": scheme.group_of(_entry(scheme, kind)),
        "kind": _entry(scheme, kind).name,
        "version": api_version.rpartition("/")[2],
        "views": {**views},
    }
    if with_edits:
        edits = (_drawn_edit(scheme, view, versions) for view in views.values())
        value["edits"] = [edit for edit in edits if edit is not None]
    return value


def is_shown(schemes: Schemes[Scheme], value: JsonObject) -> bool:
    """Tell whether an object has versions here; a mere holder of documents does not."""
    if not schemes.knows(value):
        return False
    names = schemes.names_of(value)
    return not any(scheme.is_foreign_holder(*names) for scheme in schemes.schemes)


def edit_changes(scheme: Scheme, base: JsonObject, edited: JsonObject) -> JsonObject:
    """Return what an edit at one version changes at every version: `differences` by version.

    Raises HoldallError if one of the objects cannot be converted.
    """
    return {
        version: differences(scheme.convert(base, to=version), scheme.convert(edited, to=version))
        for version in served_versions(scheme, scheme.names_of(base).kind)
    }


def served_versions(scheme: Scheme, kind: str) -> list[str]:
    """Return the served versions of a kind, oldest first."""
    types = _entry(scheme, kind).types
    return [v.name for v in scheme.versions if v.name in types and not v.internal]


def differences(before: JsonValue, after: JsonValue, path: str = "") -> list[JsonValue]:
    """Return the places where two values differ: pointer, the value before, the value after.

    A value that is on one side only is in a list of its own; the other list is empty.
    """
    if is_json_object(before) and is_json_object(after):
        found: list[JsonValue] = []
        for name in dict.fromkeys((*before, *after)):
            inner = join(path, name)
            if name in before and name in after:
                found += differences(before[name], after[name], inner)
            else:
                held = [[side[name]] if name in side else [] for side in (before, after)]
                found.append([inner, *held])
        return found
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = zip(before, after, strict=True)
        return [
            item
            for index, pair in enumerate(pairs)
            for item in differences(*pair, join(path, index))
        ]
    same = json.encode_sorted(before) == json.encode_sorted(after)
    return [] if same else [[path, [before], [after]]]


def _entry(scheme: Scheme, kind: str) -> Kind:
    return next(item for item in scheme.kinds if kind in (item.name, *item.names.values()))


def _view(scheme: Scheme, value: JsonObject, version: str) -> JsonObject:
    try:
        own = scheme.names_of(value).api_version
        document = scheme.convert(value, to=version)
        back = scheme.convert(document, to=own)
        fields = fates(value, scheme, version)
    except HoldallError as error:
        return {"error": str(error)}
    return {
        "document": document,
        "bag": [finding.to_json() for finding in audit(document, scheme)],
        "fields": [_field(item) for item in fields if not _is_plain(item)],
        "back": differences(scheme.convert(value, to=own), back),
    }


def _is_plain(item: FieldFate) -> bool:
    """Tell whether a field stays where it is, unchanged."""
    return item.fate in _PLAIN and item.shown == (item.path,) and not (item.waiting or item.lost)


def _field(item: FieldFate) -> list[JsonValue]:
    """Return where a field of the source is shown, or else kept, and what happened to it."""
    kept: list[JsonValue] = [str(entry) for entry in item.waiting]
    return [item.path, [*item.shown], kept, item.fate, item.lost]


def _drawn_edit(scheme: Scheme, view: JsonObject, versions: Sequence[str]) -> JsonObject | None:
    """Return an edit that a client of one version may make, with its effects, if possible.

    A field that has other places in other versions shows more than one that is copied.
    """
    document = view.get("document")
    if not is_json_object(document):
        return None
    for path, before, after in islice(_edits(scheme, document, versions), _TRIES):
        try:
            changes = edit_changes(scheme, document, replaced(document, path, after))
        except HoldallError:
            continue
        version = scheme.names_of(document).api_version.rpartition("/")[2]
        return {
            "version": version,
            "path": join("", *path),
            "before": before,
            "after": after,
            "changes": changes,
        }
    return None


def _edits(
    scheme: Scheme, document: JsonObject, versions: Sequence[str]
) -> Iterator[tuple[Path, JsonValue, JsonValue]]:
    telling: list[str] = []
    for version in (versions[-1], versions[0]):
        try:
            found = fates(document, scheme, version)
        except HoldallError:
            continue
        telling += [item.path for item in found if item.fate not in _PLAIN]
    leaves = {join("", *path): (path, value) for path, value in leaves_of(document)}
    apart = head_members(scheme.head) | ({"metadata"} if scheme.group else set())
    for pointer in dict.fromkeys((*telling, *leaves)):
        path, value = leaves.get(pointer, ((), None))
        if not path or path[0] in apart:
            continue
        match value:
            case bool():
                yield path, value, not value
            case int() | float():
                yield path, value, value + 1
            case str():
                yield path, value, f"{value}-edited"
