"""Rules in CEL (`x-kubernetes-validations`) and patterns, judged as an API server judges them.

Rules that need an API server's own functions (quantities, URLs, addresses, times) are reported as
not judged.
Source: Kubernetes documentation, "Validation rules" of custom resources; OpenAPI v3, `pattern`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from holdall.kubernetes.crds.access import RULES
from holdall.types import JsonObject, JsonValue, is_json_object, items, members

if TYPE_CHECKING:
    from cel_expr_python import cel

_NO_KEY: Final = "NOT_FOUND: Key not found"
_OLD: Final = re.compile(r"\boldSelf\b")
_TEXTS: Final = re.compile(r"'([^'\\]*)'|\"([^\"\\]*)\"")
_MATCHES: Final = re.compile(r"self\.matches\((?:'([^']*)'|\"([^\"]*)\")\)")
_ESCAPES: Final = (
    ("__", "__underscores__"),
    (".", "__dot__"),
    ("-", "__dash__"),
    ("/", "__slash__"),
)
_RESERVED: Final = re.compile(
    "true|false|null|in|as|break|const|continue|else|for|function|if|import|let|loop|package"
    "|namespace|return"
)


class NotJudged(Exception):
    """A rule or a pattern cannot be judged here; the text says why."""


def rules_of(schema: JsonObject) -> list[JsonObject]:
    """Return a schema's own rules that apply to new objects."""
    return [
        rule
        for rule in items(schema, RULES)
        if is_json_object(rule)
        and (not _OLD.search(str(rule.get("rule"))) or rule.get("optionalOldSelf"))
    ]


def broken_rules(value: JsonValue, schema: JsonObject) -> Iterator[str]:
    """Yield a schema's own rules that a value breaks. Raises NotJudged."""
    rules = rules_of(schema)
    if not rules:
        return
    given = _as_cel(value, schema)
    for rule in rules:
        text = str(rule.get("rule")).strip()
        if not _holds(text, f"the rule `{text}`", self=given):
            yield text


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches anywhere in a text. Raises NotJudged.

    CEL's function is RE2, like Go's, so it takes linear time.
    """
    return _holds("self.matches(pattern)", f"the pattern {pattern!r}", self=text, pattern=pattern)


def words_of(schema: JsonObject) -> list[str]:
    """Return the strings in a schema's rules, with which they compare values."""
    rules = " ".join(str(rule.get("rule")) for rule in rules_of(schema))
    return [one or other for one, other in _TEXTS.findall(rules)]


def patterns_of(schema: JsonObject) -> list[str]:
    """Return the patterns that a schema's rules require texts to match."""
    rules = " ".join(str(rule.get("rule")) for rule in rules_of(schema))
    return [one or other for one, other in _MATCHES.findall(rules)]


@cache
def _environment() -> cel.Env:
    # The runtime of the CEL project itself, which reports what it does not support.
    try:
        from cel_expr_python import cel
        from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings
    except ModuleNotFoundError as error:
        raise NotJudged(f"{error.name} is not installed") from error
    extensions = [ext_bindings.ExtBindings(), ext_optional.ExtOptional(), ext_strings.ExtStrings()]
    variables = {"self": cel.Type.DYN, "pattern": cel.Type.DYN}
    return cel.NewEnv(variables=variables, extensions=extensions)


@cache
def _compiled(rule: str) -> cel.Expression:
    return _environment().compile(rule)


def _holds(rule: str, name: str, **given: Any) -> bool:
    try:
        held = _compiled(rule).eval(data=given).plain_value()
    except (RuntimeError, TypeError, ValueError, OverflowError) as error:
        raise NotJudged(f"{name}: {_first_line(error)}") from error
    if isinstance(held, str) and held.startswith(_NO_KEY):
        return False
    if not isinstance(held, bool):
        raise NotJudged(f"{name}: {_first_line(held)}")
    return held


def _first_line(error: object) -> str:
    return str(error).partition("\n")[0].removeprefix("INVALID_ARGUMENT: ")


def _as_cel(value: JsonValue, schema: JsonValue) -> Any:
    """Return a value as rules see it, with names escaped and numbers of their declared types."""
    own = members(schema)
    if isinstance(value, list):
        return [_as_cel(item, own.get("items")) for item in value]
    if is_json_object(value):
        properties = own.get("properties")
        if is_json_object(properties):
            return {
                _escaped(key): _as_cel(item, properties.get(key)) for key, item in value.items()
            }
        return {key: _as_cel(item, own.get("additionalProperties")) for key, item in value.items()}
    if own.get("type") == "number" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


@cache
def _escaped(name: str) -> str:
    if _RESERVED.fullmatch(name):
        return f"__{name}__"
    for mark, word in _ESCAPES:
        name = name.replace(mark, word)
    return name
