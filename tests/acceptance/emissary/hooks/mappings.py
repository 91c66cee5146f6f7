"""What only a Mapping has: its host, and maps and lists with more than one spelling."""

from __future__ import annotations

from typing import Any, Final

from holdall import Members, TwoWay, override

from hooks.identity import as_list

NO_HOSTNAME: Final = "_skip_mapping_with_empty_host_"


class Hostname(TwoWay):
    """The host of v2 is the hostname, unless it is a regular expression (R-MAPHOST)."""

    older = ("host", "host_regex")
    newer = ("host", "host_regex", "hostname")

    @override
    def to_newer(self, older: Members) -> Members:
        if older.get("host_regex") is True:
            return older
        hostname = older.pop("host", None) or "*"
        return older if hostname == NO_HOSTNAME else {**older, "hostname": hostname}

    @override
    def to_older(self, newer: Members) -> Members:
        host, hostname = newer.pop("host", None), newer.pop("hostname", None)
        if hostname and newer.get("host_regex") is not None:
            newer["host_regex"] = False
        is_regex = newer.get("host_regex") is True
        shown = hostname or host or (None if is_regex else NO_HOSTNAME)
        is_any = shown == "*" and not is_regex
        return newer if is_any or not shown else {**newer, "host": shown}


class TrueValues(TwoWay):
    """`true` in a map of v2 is a regular expression for anything (R-BOOLHDR, R-BOOLQP)."""

    def __init__(self, plain: str, *, marked: str) -> None:
        self.plain, self.regex, self.marked = plain, f"regex_{plain}", marked
        self.older = (self.plain, self.regex)
        self.newer = (self.plain, self.regex, self.marked)

    @override
    def to_newer(self, older: Members) -> Members:
        plain = older.get(self.plain) or {}
        texts = {name: value for name, value in plain.items() if isinstance(value, str)}
        names = sorted(name for name, value in plain.items() if value is True)
        if names:
            regexes = dict.fromkeys(names, ".*") | (older.get(self.regex) or {})
            older |= {self.regex: regexes, self.marked: names}
        return _replaced(older, self.plain, texts) if plain else older

    @override
    def to_older(self, newer: Members) -> Members:
        plain, regexes = newer.get(self.plain) or {}, newer.get(self.regex) or {}
        marked = as_list(newer.pop(self.marked, None)) or []
        true = {name: True for name in regexes if name in marked and name not in plain}
        if true:
            newer[self.plain] = plain | true
            rest = {k: text for k, text in regexes.items() if k not in true or text != ".*"}
            newer = _replaced(newer, self.regex, rest)
        return newer


class AddedHeaders(TwoWay):
    """A header to add is a text, null or an object in v2, and an object later (R-ADDHDR)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.older = self.newer = (name,)

    @override
    def to_newer(self, older: Members) -> Members:
        return {name: _each(headers, _added) for name, headers in older.items()}

    @override
    def to_older(self, newer: Members) -> Members:
        return {name: _each(headers, _added_before) for name, headers in newer.items()}


class Origins(TwoWay):
    """The origins of v2 may be one text with commas (R-CORS)."""

    older = ("origins",)
    newer = ("origins", "v2CommaSeparatedOrigins")

    @override
    def to_newer(self, older: Members) -> Members:
        origins = older.get("origins")
        if not isinstance(origins, str):
            return older
        return {"origins": origins.split(","), "v2CommaSeparatedOrigins": True}

    @override
    def to_older(self, newer: Members) -> Members:
        is_joined = newer.pop("v2CommaSeparatedOrigins", None) is True
        origins = newer.get("origins")
        if is_joined and origins is not None and all(isinstance(text, str) for text in origins):
            newer["origins"] = ",".join(origins)
        return newer


class OneOrMany(TwoWay):
    """A list of v2 may be the text of its only element."""

    def __init__(self, name: str) -> None:
        self.older = self.newer = (name,)

    @override
    def to_newer(self, older: Members) -> Members:
        return {name: as_list(value) for name, value in older.items()}

    @override
    def to_older(self, newer: Members) -> Members:
        return newer


def _replaced(members: Members, name: str, value: Members) -> Members:
    """Return members with another map, or without it if a rule has emptied it."""
    rest = {key: item for key, item in members.items() if key != name}
    return {**rest, name: value} if value else rest


def _each(values: Any, act: Any) -> Any:
    return values and {key: act(value) for key, value in values.items()}


def _added(header: Any) -> Any:
    if header is None:
        return {"v2Representation": "null"}
    if isinstance(header, str):
        return {**({"value": header} if header else {}), "v2Representation": "string"}
    return header


def _added_before(header: Any) -> Any:
    if header is None:
        return None
    spelling, append = header.pop("v2Representation", None), header.get("append")
    if spelling == "string" and append is None:
        return header.get("value") or ""
    if spelling == "null" and append is None and header.get("value") is None:
        return None
    return header
