"""Values drawn from structural schemas: valid ones, or none.

Every value is validated when it is made, as an API server would do it, and drawn again until it is
valid. What cannot be drawn is left out if it may be absent. Source: apiextensions v1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, combinations
from random import Random
from typing import Final

from holdall.kubernetes.conform.patterns import draw
from holdall.kubernetes.conform.rules import NotJudged, patterns_of, words_of
from holdall.kubernetes.conform.validity import SECTIONS, flaws, is_valid, keys_of
from holdall.kubernetes.conform.values import SLOTS
from holdall.kubernetes.crds.access import EMBEDDED, INT_OR_STRING, LIST_TYPE, PRESERVE
from holdall.text.pointer import join
from holdall.types import JsonObject, JsonValue, is_json_object, items, members

_FORMATS: Final = {
    "date-time": "2024-05-06T07:{0:02}:{1:02}Z",
    "datetime": "2024-05-06T07:{0:02}:{1:02}Z",
    "date": "2{1:03}-05-06",
    "duration": "{2}s",
    "email": "someone-{2}@example.com",
    "hostname": "host-{2}.example.com",
    "ipv4": "192.0.{0}.{1}",
    "ipv6": "2001:db8::{2:x}",
    "cidr": "10.{0}.{1}.0/24",
    "mac": "02:00:5e:10:{0:02x}:{1:02x}",
    "uri": "https://example.com/{2}",
    "uuid": "0f8fad5b-d9cb-469f-a165-{2:012x}",
    "uuid3": "0f8fad5b-d9cb-369f-a165-{2:012x}",
    "uuid4": "0f8fad5b-d9cb-469f-a165-{2:012x}",
    "uuid5": "0f8fad5b-d9cb-569f-a165-{2:012x}",
    "isbn10": "0306406152",
    "isbn13": "9780306406157",
    "isbn": "9780306406157",
    "creditcard": "4111111111111111",
    "ssn": "111-22-3333",
    "hexcolor": "#{2:06x}",
    "rgbcolor": "rgb(1,{0},{1})",
    "bsonobjectid": "507f1f77bcf86cd7{2:08x}",
    "byte": "aG9sZGFsbA==",
}
_MAX_DEPTH: Final = 16
_SPAN: Final = 1 << 20
_TRIES: Final = 48
_MANY: Final = 12


class CannotDraw(Exception):
    """No valid value was found; the text says where and why."""


class Writer:
    """Draws values with a number in most of them, so that they can be told apart.

    With `sparse`, a random half of what may be absent is left out. `left_out` says what could not
    be drawn.
    """

    def __init__(self, chance: Random, *, sparse: bool = False, backwards: bool = False) -> None:
        self.left_out: dict[str, str] = {}
        self._chance = chance
        self._sparse = sparse
        self._backwards = backwards
        self._count = 0
        self._path: list[str | int] = []
        self._later = 0
        self._words: list[str] = []
        self._by_chance = False

    def value(self, schema: JsonValue, name: str) -> JsonValue:
        """Return a valid value of a schema. Raises CannotDraw."""
        if not is_json_object(schema):
            return self._text(name)
        return self._valid(schema, lambda attempt: self._draw(schema, name, attempt))

    def object(self, schema: JsonObject, given: JsonObject) -> JsonObject:
        """Return a valid object with the given members. Raises CannotDraw."""
        properties = members(schema, "properties")
        return members(self._valid(schema, lambda _: self._members(schema, properties, {**given})))

    def _valid(self, schema: JsonObject, make: Callable[[int], JsonValue]) -> JsonValue:
        flaw = None
        for attempt in range(_TRIES):
            self._count += 1
            with self._trying(schema, attempt):
                found = make(attempt)
            flaw = next(flaws(found, schema, deep=False), None)
            if flaw is None:
                return found
        raise CannotDraw(str(flaw and flaw._replace(pointer=join("", *self._path))))

    def _draw(self, schema: JsonObject, name: str, attempt: int) -> JsonValue:
        choices = schema.get("enum")
        if isinstance(choices, list) and choices:
            return choices[self._number_below(len(choices), attempt)]
        for given in ("default", "example") if not attempt else ():
            value = schema.get(given)
            if isinstance(value, str | int | float) and is_valid(value, schema):
                return value
        match schema.get("type"):
            case "object":
                return self._object(schema, name)
            case "array":
                return self._list(schema, name)
            case "string":
                return self._string(schema, name)
            case "integer" | "number" as kind:
                return self._number(schema, attempt, whole=kind == "integer")
            case "boolean":
                return self._number_below(2, attempt) == 0
        if schema.get(INT_OR_STRING):
            return self._string(schema, name) if "pattern" in schema else self._count
        return {"free": self._text(name)} if schema.get(PRESERVE) else self._text(name)

    # --- objects ---

    def _object(self, schema: JsonObject, name: str) -> JsonObject:
        if len(self._path) > _MAX_DEPTH:
            return {}
        found: JsonObject = {}
        if schema.get(EMBEDDED):
            metadata: JsonObject = {"name": self._text("embedded")}
            found = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
        properties = schema.get("properties")
        others = schema.get("additionalProperties")
        if is_json_object(properties):
            return self._members(schema, properties, found)
        if is_json_object(others):
            keys = [f"key{number}" for number in self._some(schema, "Properties")]
            return {key: self._at(key, others, name, is_later=key != keys[0]) for key in keys}
        if schema.get(PRESERVE) and not found:
            return {"free": self._text(name)}
        return found

    def _members(self, schema: JsonObject, properties: JsonObject, found: JsonObject) -> JsonObject:
        needed = {*map(str, items(schema, "required"))}
        for key, inner in properties.items():
            if key in SLOTS or key in found:
                continue
            if key not in needed and self._sparse and self._chance.random() >= 0.5:
                continue
            try:
                found[key] = self._at(key, inner, key)
            except CannotDraw as error:
                if key in needed:
                    raise
                self.left_out[join("", *self._path, key)] = str(error)
        return self._fitting(found, schema, needed)

    def _fitting(self, found: JsonObject, schema: JsonObject, needed: set[str]) -> JsonObject:
        """Return an object, or as many of its members as its rules permit together."""
        if is_valid(found, schema, deep=False):
            return found
        optional = [key for key in found if key not in needed and key not in SECTIONS]
        if self._backwards:
            optional.reverse()
        starts = chain([()], combinations(optional[:_MANY], 1), combinations(optional[:_MANY], 2))
        for start in starts:
            kept = {key for key in found if key not in optional} | {*start}
            if not is_valid(_only(found, kept), schema, deep=False):
                continue
            for key in optional:
                if key not in kept and is_valid(_only(found, {*kept, key}), schema, deep=False):
                    kept.add(key)
            return _only(found, kept)
        return found

    # --- lists ---

    def _list(self, schema: JsonObject, name: str) -> list[JsonValue]:
        if len(self._path) > _MAX_DEPTH:
            return []
        wanted = len(self._some(schema, "Items"))
        apart = schema.get(LIST_TYPE) in ("map", "set") or schema.get("uniqueItems") is True
        found: list[JsonValue] = []
        for _ in range(wanted * 4):
            if len(found) == wanted:
                break
            try:
                item = self._at(len(found), schema.get("items"), name, is_later=bool(found))
            except CannotDraw:
                if found or not schema.get("minItems"):
                    break
                raise
            keys = keys_of([*found, item], schema) if schema.get(LIST_TYPE) == "map" else []
            if item in found or (keys and apart and keys[-1] in keys[:-1]):
                continue
            found.append(item)
        return found

    # --- scalars ---

    def _string(self, schema: JsonObject, name: str) -> str:
        least, most = schema.get("minLength"), schema.get("maxLength")
        low = least if isinstance(least, int) else 0
        high = most if isinstance(most, int) else None
        pattern = schema.get("pattern")
        patterns = [pattern] if isinstance(pattern, str) else patterns_of(schema)
        if self._words and self._chance.random() < 0.6:
            return self._chance.choice(self._words)
        form = schema.get("format")
        if isinstance(form, str) and form in _FORMATS and not isinstance(pattern, str):
            n = self._count
            return _FORMATS[form].format(n // 60 % 60, n % 60, n)
        for candidate in patterns:
            return self._matching(candidate, name, low, high)
        text = self._text(name).ljust(low, "x")
        return text if high is None else text[max(0, len(text) - high) :]

    def _matching(self, pattern: str, name: str, low: int, high: int | None) -> str:
        """Return a text that matches a pattern: a plain one if possible, else a drawn one."""
        limits: JsonObject = {"type": "string", "pattern": pattern, "minLength": low}
        if high is not None:
            limits["maxLength"] = high
        text = self._text(name).strip("-")
        if is_valid(text, limits):
            return text
        try:
            drawn = draw(pattern, self._chance, low, high)
        except NotJudged as error:
            raise CannotDraw(f"{join('', *self._path)}: not judged: {error}") from error
        if drawn is None:
            raise CannotDraw(f"{join('', *self._path)}: no text was found that matches {pattern}")
        return drawn

    def _number(self, schema: JsonObject, attempt: int, *, whole: bool) -> int | float:
        least, most = schema.get("minimum"), schema.get("maximum")
        low = least if isinstance(least, int | float) else 1
        high = most if isinstance(most, int | float) else low + _SPAN
        low = min(low, high)
        step = schema.get("multipleOf")
        span = max(1, int(high - low) + 1)
        value: int | float = low + (self._chance.randrange(span) if attempt else self._count % span)
        if isinstance(step, int | float) and step > 0:
            value = -(-value // step) * step
        near = [value, value + 1] if whole else [value + 0.5, value, low + 1e-3]
        for candidate in [*near, low, high]:
            number = int(candidate) if whole else candidate
            if is_valid(number, schema, deep=False):
                return number
        return int(value) if whole else value

    def _text(self, name: str) -> str:
        return f"{name.lower()}-{self._count}"

    # --- choices ---

    def _at(
        self, step: str | int, schema: JsonValue, name: str, *, is_later: bool = False
    ) -> JsonValue:
        """Return a value at a step; `is_later` says that it is not the first element."""
        self._path.append(step)
        self._later += is_later
        try:
            return self.value(schema, name)
        finally:
            self._later -= is_later
            self._path.pop()

    @contextmanager
    def _trying(self, schema: JsonObject, attempt: int) -> Iterator[None]:
        """Vary later attempts at random: words of rules, other choices, fewer members."""
        before = self._words, self._sparse, self._by_chance
        if attempt:
            self._words = [*self._words, *words_of(schema)]
            self._sparse = self._sparse or attempt > _TRIES // 3
            self._by_chance = True
        try:
            yield
        finally:
            self._words, self._sparse, self._by_chance = before

    def _number_below(self, limit: int, attempt: int) -> int:
        by_chance = attempt or self._by_chance
        return self._chance.randrange(limit) if by_chance else self._count % limit

    def _some(self, schema: JsonObject, what: str) -> range:
        """Return how many elements to make: two, so that mixed-up elements show.

        In all but first elements one is enough, because nested containers would multiply.
        """
        least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
        count = 1 if self._later else 2
        if self._sparse:
            count = self._chance.randrange(count + 1)
        count = max(count, least if isinstance(least, int) else 0)
        return range(min(count, most) if isinstance(most, int) else count)


def _only(obj: JsonObject, keys: set[str]) -> JsonObject:
    return {key: value for key, value in obj.items() if key in keys}


def another(value: JsonValue, schema: JsonValue, chance: Random) -> JsonValue:
    """Return another valid value of the same schema; the same one if there is none."""
    writer = Writer(chance, sparse=True)
    for _ in range(_TRIES):
        try:
            found = writer.value(schema, "edited")
        except CannotDraw:
            break
        if found != value:
            return found
    return value
