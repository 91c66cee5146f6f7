"""One label of a Mapping: a text, or an object with one key (R-LABEL)."""

from typing import Any, Final

SPECIAL: Final = ("source_cluster", "destination_cluster", "remote_address")
ORDER: Final = (*SPECIAL[:2], "request_headers", "remote_address", "generic_key")
HEADER: Final = {"header": "header_name", "omit_if_not_present": "omit_if_not_present"}
HEADER_BEFORE: Final = {newer: older for older, newer in HEADER.items()}


def label(older: Any) -> Any:
    """Return a label of v2 as the one-of object of v3alpha1."""
    if isinstance(older, str):
        value = {"key": older} if older in SPECIAL else {"value": older, "v2Shorthand": True}
        return {older if older in SPECIAL else "generic_key": value}
    for key, value in sorted(older.items()) if isinstance(older, dict) else ():
        if isinstance(value, dict):
            return {"request_headers": {"key": key, **_renamed(value, HEADER)}}
        if key == "generic_key" and isinstance(value, str):
            return {key: {"value": value, **_renamed(older, {"v3Key": "key"})}}
    return {}


def label_before(newer: Any) -> Any:
    """Return the one member of a label of v3alpha1 that counts, as a label of v2."""
    kind = next((kind for kind in ORDER if (newer or {}).get(kind) is not None), None)
    if kind is None:
        return None
    value = newer[kind]
    if kind == "request_headers":
        return {value.get("key") or "": _renamed(value, HEADER_BEFORE)}
    if kind in SPECIAL:
        return value.get("key") or ""
    text = value.get("value") or ""
    if value.get("v2Shorthand") and not value.get("key"):
        return text
    return {kind: text, **_renamed(value, {"key": "v3Key"})}


def _renamed(members: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {new: members[old] for old, new in names.items() if old in members}
