"""Forms of values in both versions: what a value of the one is in the other."""

import re
from collections.abc import Callable, Mapping
from math import trunc
from typing import Any, Final, NamedTuple

from holdall import RefusedError
from hooks.paths import pruned

Known = Mapping[str, Any]
VERSIONS: Final = "settings:versions"
NAMESPACE: Final = "object:namespace"
_UNITS: Final = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
_LIMIT: Final = 2**31 - 1
_KUBERNETES: Final = "x-kubernetes-(int-or-string|preserve-unknown-fields)"
_is_flag: Final = re.compile(f"exclusive(Max|Min)imum|uniqueItems|{_KUBERNETES}").fullmatch


class Form(NamedTuple):
    """Two functions for a value, which get what else is known; None is absence.

    With `always` there is an older value even where there is no newer one. Of a `whole` value
    nothing is left out beforehand.
    """

    to_newer: Callable[[Any, Known], Any]
    to_older: Callable[[Any, Known], Any]
    always: bool = False
    whole: bool = False


def seconds(text: Any, _: Known) -> Any:
    """Return the whole seconds of a duration (R-DUR), None for another text: it is kept."""
    parts = re.findall(r"(\d+\.?\d*|\.\d+)(h|ms|m|s|us|µs|ns)", text.lstrip("+-"))
    if not parts or "".join(map("".join, parts)) != text.lstrip("+-"):
        return 0 if text.lstrip("+-") == "0" else None
    total = sum(float(number) * _UNITS[unit] for number, unit in parts)
    return min(trunc(-total if text[0] == "-" else total), _LIMIT)


def duration(number: Any, _: Known) -> Any:
    """Return a number of seconds as a duration is written (R-DUR)."""
    minutes, rest = divmod(abs(number), 60)
    hours, minutes = divmod(minutes, 60)
    text = (
        f"{hours}h{minutes}m{rest}s" if hours else f"{minutes}m{rest}s" if minutes else f"{rest}s"
    )
    return f"-{text}" if number < 0 else text


def contract_reference(reference: Any, _: Known) -> Any:
    """Return a reference without version: the contract tells it (R-REFV). Raises RefusedError."""
    group, slash, version = reference.get("apiVersion", "").partition("/")
    if "/" in version:
        raise RefusedError(f"{group}/{version} is no apiVersion")
    return {**({"apiGroup": group} if slash else {}), **_named(reference, "kind", "name")}


def object_reference(reference: Any, known: Known) -> Any:
    """Return a reference with the version that the cluster has (R-REFV). Raises RefusedError."""
    name = f"{reference.get('kind', '')}.{reference.get('apiGroup', '')}"
    versions = known[VERSIONS]
    version = versions.get(name) or versions.get("*")
    if version is None:
        raise RefusedError(f"no version of {name} is known")
    return {"apiVersion": version, **_named(reference, "kind", "name"), **namespace(known)}


def template_reference(reference: Any, _: Known) -> Any:
    """Return a reference to a template, which is in the object's own namespace (R-REFT)."""
    return _named(reference, "apiVersion", "kind", "name")


def template_object(reference: Any, known: Known) -> Any:
    """Return a reference to a template with its namespace (R-REFT)."""
    return {**(reference or {}), **namespace(known)}


def _named(members: Any, *names: str) -> dict[str, Any]:
    return {name: members[name] for name in names if members.get(name)}


def namespace(known: Known) -> dict[str, Any]:
    """Return the namespace of an object as a member; none if it has none."""
    return {"namespace": known[NAMESPACE]} if NAMESPACE in known else {}


def _unhealthy(older: Any, _: Known) -> Any:
    """Return conditions with the seconds until they count, 0 if nothing is said (R-MHC)."""
    made = [dict(one or {}) for one in older]
    for one in made:
        one["timeoutSeconds"] = seconds(one.pop("timeout", None) or "0s", _) or 0
    return made


def _unhealthy_before(newer: Any, _: Known) -> Any:
    made = [dict(one or {}) for one in newer]
    for one in made:
        one["timeout"] = duration(one.pop("timeoutSeconds", None) or 0, _)
    return made


def without_false(schema: Any) -> Any:
    """Return a schema, or schemas, without booleans that are false."""
    if isinstance(schema, list):
        return [without_false(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    said = {key: one for key, one in schema.items() if one is not False or not _is_flag(key)}
    return {name: without_false(one) for name, one in said.items()}


def _renamed(members: Any, name: str, other: str) -> Any:
    return {other if key == name else key: value for key, value in members.items()}


SAME: Final = Form(lambda value, _: value, lambda value, _: value)
WHOLE: Final = SAME._replace(whole=True)
"""Objects with users' own keys, in which nothing is empty by chance."""
SECONDS: Final = Form(seconds, duration)
SET: Final = Form(lambda value, _: value or None, lambda value, _: value)
"""A boolean or number whose zero value says nothing in the older version (R-BOOLPTR, R-INIT)."""
SET_BEFORE: Final = Form(lambda value, _: value, lambda value, _: value or None)
"""A value whose zero value says nothing in the newer version (R-STRPTR, R-INTPTR)."""
REFERENCE: Final = Form(contract_reference, object_reference)
TEMPLATE: Final = Form(template_reference, template_object)
TEMPLATE_ALWAYS: Final = TEMPLATE._replace(always=True)
UNHEALTHY: Final = Form(_unhealthy, _unhealthy_before)
RETRY: Final = Form(lambda text, _: seconds(text, _) if text.strip("0") != "s" else None, duration)
"""A duration of which zero says nothing (R-KCPREM)."""
NODE: Final = Form(
    lambda node, _: _named(node, "name"),
    lambda node, _: {"apiVersion": "v1", "kind": "Node", **node} if node.get("name") else None,
)
"""A reference to a Node is its name (R-REFNODE)."""
ROLLING: Final = Form(
    lambda strategy, _: {"type": "RollingUpdate", **(pruned(strategy, {}) or {})},
    lambda strategy, _: pruned(strategy, ""),
    whole=True,
)
"""The strategy of a template has a type in any case (R-KCPROLL)."""
LAST_REMEDIATION: Final = Form(
    lambda older, _: {"retryCount": 0, **_renamed(older, "timestamp", "time")},
    lambda newer, _: _renamed(newer, "time", "timestamp") or None,
    whole=True,
)
"""The last remediation (R-LASTREM)."""
