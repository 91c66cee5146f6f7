"""Headers and query parameters of a Mapping, whose values are not only texts in v2."""

from typing import Any

from holdall import Members, TwoWay


class TrueValues(TwoWay):
    """`true` in a map of v2 is a regular expression for anything (R-BOOLHDR, R-BOOLQP)."""

    def __init__(self, plain: str, *, marked: str) -> None:
        self.plain, self.regex, self.marked = plain, f"regex_{plain}", marked
        self.older = (self.plain, self.regex)
        self.newer = (self.plain, self.regex, self.marked)

    def to_newer(self, older: Members) -> Members:
        plain = older.get(self.plain) or {}
        texts = {name: value for name, value in plain.items() if isinstance(value, str)}
        names = sorted(name for name, value in plain.items() if value is True)
        if names:
            regexes = dict.fromkeys(names, ".*") | (older.get(self.regex) or {})
            older |= {self.regex: regexes, self.marked: names}
        return _with_map(older, self.plain, texts) if plain else older

    def to_older(self, newer: Members) -> Members:
        plain, regexes = newer.get(self.plain) or {}, newer.get(self.regex) or {}
        marked = newer.pop(self.marked, None) or ()
        true = {name: True for name in regexes if name in marked and name not in plain}
        rest = {name: text for name, text in regexes.items() if name not in true or text != ".*"}
        return _with_map({**newer, self.plain: plain | true}, self.regex, rest) if true else newer


def added(header: Any) -> Any:
    """A header to add is a text, null or an object in v2, and an object later (R-ADDHDR)."""
    if isinstance(header, str):
        return {**({"value": header} if header else {}), "v2Representation": "string"}
    return {"v2Representation": "null"} if header is None else header


def added_before(header: Any) -> Any:
    """The inverse of `added`, where the object has nothing that only an object can show."""
    if not isinstance(header, dict):
        return header
    spelling = header.pop("v2Representation", None)
    is_set = {name for name in ("value", "append") if header.get(name) is not None}
    if spelling == "string" and "append" not in is_set:
        return header.get("value") or ""
    return None if spelling == "null" and not is_set else header


def _with_map(members: Members, name: str, value: Members) -> Members:
    """Return members with another map, or without it if a rule has emptied it."""
    rest = {key: item for key, item in members.items() if key != name}
    return {**rest, name: value} if value else rest
