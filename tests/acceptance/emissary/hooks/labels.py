"""The labels of a Mapping: lists of maps of lists of labels, by domain (R-LABEL)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from holdall import Members, TwoWay, override

SPECIAL: Final = ("source_cluster", "destination_cluster", "remote_address")
HEADER: Final = {"header": "header_name", "omit_if_not_present": "omit_if_not_present"}


class Labels(TwoWay):
    """A label is a text or an object with one key of any name in v2, and one of five later."""

    older = newer = ("labels",)

    @override
    def to_newer(self, older: Members) -> Members:
        return {name: _each(domains, _newer, 4) for name, domains in older.items()}

    @override
    def to_older(self, newer: Members) -> Members:
        return {name: _each(domains, _older, 4) for name, domains in newer.items()}


def _each(value: Any, act: Callable[[Any], Any], depth: int) -> Any:
    """Act on everything that lies `depth` containers deep."""
    if depth == 0:
        return act(value)
    if isinstance(value, dict):
        return {key: _each(item, act, depth - 1) for key, item in value.items()}
    return [_each(item, act, depth - 1) for item in value] if isinstance(value, list) else value


def _newer(label: Any) -> Any:
    if isinstance(label, str):
        if label in SPECIAL:
            return {label: {"key": label}}
        return {"generic_key": {"value": label, "v2Shorthand": True}}
    for key, value in label.items() if isinstance(label, dict) else ():
        if isinstance(value, dict):
            return {"request_headers": {"key": key, **_renamed(value, HEADER)}}
        if key == "generic_key" and isinstance(value, str):
            return {key: {"value": value, **_renamed(label, {"v3Key": "key"})}}
    return {}


def _older(label: Any) -> Any:
    label = {kind: value for kind, value in (label or {}).items() if isinstance(value, dict)}
    for kind in ("source_cluster", "destination_cluster", "request_headers", "remote_address"):
        if kind in label and kind in SPECIAL:
            return label[kind].get("key") or ""
        if kind in label:
            header = {newer: older for older, newer in HEADER.items()}
            return {label[kind].get("key") or "": _renamed(label[kind], header)}
    if "generic_key" not in label:
        return None
    generic = label["generic_key"]
    text = generic.get("value") or ""
    if generic.get("v2Shorthand") and not generic.get("key"):
        return text
    return {"generic_key": text, **_renamed(generic, {"key": "v3Key"})}


def _renamed(members: Members, names: Members) -> Members:
    return {name: members[old] for old, name in names.items() if old in members}
