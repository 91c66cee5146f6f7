"""Converting documents: lists item by item, one bad object without effect on its neighbours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from holdall import json as _json
from holdall.documents import Document
from holdall.errors import ConversionError, DecodeError, HoldallError, ProblemsError
from holdall.pointer import join
from holdall.projects import Schemes
from holdall.types import JsonObject, JsonValue, is_json_object

_LIST: Final = "List"


@dataclass(frozen=True, slots=True)
class Failure:
    """An object that could not be converted: where it stands, what it is, and why.

    `where` is `file:line:column`, `path` a JSON Pointer into the object, `edge` the two versions
    of the failing step or "", `fix` may be empty.
    """

    code: str
    where: str
    subject: str
    edge: str
    path: str
    message: str
    fix: str = ""

    def __str__(self) -> str:
        parts = (self.subject, " ".join(filter(None, (self.edge, self.path))), self.message)
        text = f"{self.code} {self.where}: {': '.join(filter(None, parts))}"
        return f"{text}\n    fix: {self.fix}" if self.fix else text

    def to_json(self) -> JsonObject:
        """Return the failure as JSON, for `--json`."""
        return {
            "code": self.code,
            "where": self.where,
            "subject": self.subject,
            "edge": self.edge,
            "path": self.path,
            "message": self.message,
            "fix": self.fix,
        }


@dataclass(slots=True)
class Batch:
    """One run over any number of documents; failures are counted and handed to `report`.

    With `pass_unknown` objects of kinds that no scheme has go through as they are.
    """

    schemes: Schemes
    to: str
    report: Callable[[Failure], None]
    pass_unknown: bool = False
    converted: int = field(default=0, init=False)
    passed: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)

    def convert(self, document: Document) -> list[JsonValue]:
        """Return the converted document as the only element; nothing if its object failed.

        The document's values are reused.
        """
        return self._value(document.value, document, "")

    def _value(self, value: JsonValue, document: Document, pointer: str) -> list[JsonValue]:
        if is_json_object(value):
            items = value.get("items")
            kind = value.get("kind")
            if (
                isinstance(kind, str)
                and kind.endswith(_LIST)
                and isinstance(items, list)
                and not self.schemes.knows(value)
            ):
                return [self._list(value, kind, items, document, pointer)]
        return self._object(value, document, pointer)

    def _list(
        self, value: JsonObject, kind: str, items: list[JsonValue], document: Document, pointer: str
    ) -> JsonObject:
        """Convert the items of a list; those of a typed one may leave out what its head says."""
        converted: list[JsonValue] = []
        head: JsonObject = {}
        if kind != _LIST:
            head = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix(_LIST)}
        for index, item in enumerate(items):
            at = join(pointer, "items", index)
            if not is_json_object(item):
                converted += self._object(item, document, at)
                continue
            implied = [name for name in head if name not in item]
            full = {**{name: head[name] for name in implied}, **item}
            for result in self._value(full, document, at):
                if is_json_object(result):
                    converted.append({k: v for k, v in result.items() if k not in implied})
        changed: JsonObject = {**value, "items": converted}
        api_version = self._target_of(head)
        if api_version:
            changed["apiVersion"] = api_version
        return changed

    def _target_of(self, head: JsonObject) -> str:
        """Return the apiVersion of a typed list whose items are of the target version."""
        if not self.schemes.knows(head):
            return ""
        scheme = self.schemes.find(str(head["apiVersion"]), str(head["kind"]))
        if scheme is None or "/" in self.to:
            return self.to
        return scheme.api_version(self.to)

    def _object(self, value: JsonValue, document: Document, pointer: str) -> list[JsonValue]:
        if self.pass_unknown and _is_named(value) and not self.schemes.knows(value):
            self.passed += 1
            return [value]
        try:
            result = self.schemes.convert(value, to=self.to)
            # A hook may have put into the object what no text can hold.
            checked = _json.copy_checked(result)
        except HoldallError as error:
            self.failed += 1
            self.report(describe_failure(error, value, document, pointer))
            return []
        self.converted += 1
        return [checked]


def describe_failure(
    error: HoldallError, value: JsonValue, document: Document, pointer: str
) -> Failure:
    """Return an error of an object, which stands at a JSON Pointer in a document, as a Failure."""
    path, edge, message, fix, code = "", "", str(error), "", error.code
    if isinstance(error, ConversionError):
        path, message = error.path, error.rule
        edge = " -> ".join(error.edge) if error.edge else ""
    elif isinstance(error, DecodeError):
        path, message = error.path, error.message
    elif isinstance(error, ProblemsError) and error.problems:
        first = error.problems[0]
        code = first.code
        if len(error.problems) == 1:
            message, fix = first.message, first.fix
    where = document.where(pointer + path)
    return Failure(code, where, subject_of(value), edge, path, message, fix)


def subject_of(value: JsonValue) -> str:
    """Return `kind namespace/name` of an object, as far as it says so."""
    if not is_json_object(value):
        return ""
    metadata = value.get("metadata")
    names: JsonObject = metadata if is_json_object(metadata) else {}
    name = "/".join(str(names[key]) for key in ("namespace", "name") if names.get(key))
    kind = value.get("kind")
    return " ".join(part for part in (kind if isinstance(kind, str) else "", name) if part)


def _is_named(value: JsonValue) -> bool:
    return (
        is_json_object(value)
        and isinstance(value.get("apiVersion"), str)
        and isinstance(value.get("kind"), str)
    )
