"""Converting documents, lists item by item; a bad object does not affect its neighbours."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from holdall.carriers.reports import Report, loses
from holdall.errors import (
    ConversionError,
    DecodeError,
    HoldallError,
    InvalidResult,
    ProblemsError,
    UnknownKindError,
)
from holdall.objects.heads import Names
from holdall.scheme.schemes import Schemes
from holdall.text import json as _json
from holdall.text.documents import Document
from holdall.text.pointer import join
from holdall.text.streams import LIST, list_items
from holdall.types import JsonObject, JsonValue, is_json_object

FindFlaws: TypeAlias = Callable[[Names, JsonObject], Iterable[tuple[str, str]]]
"""Finds what the schema of an object's version refuses in it: JSON Pointers and messages."""

FIXES: Final[Mapping[str, str]] = {
    "HA406": "use a version that the kind has",
    "HA413": "fill the column",
    "HA425": "correct the hook or the row; or write it anyway: omit --verify, pass --no-record",
    "HA426": "correct the row, or widen the column",
    "HA427": "run it again",
    "HA430": "run `holdall rewrite` first",
    "HA501": "correct the document there",
    "HA502": "correct the document there",
    "HA503": "correct the entry of the bag, or remove it",
    "HA504": "correct the value, or declare another `misfit`",
    "HA505": "correct the hook, or what it fails on; `holdall --traceback` shows the stack",
    "HA506": "correct the function, or the value; `holdall --traceback` shows the stack",
    "HA507": "correct the entry of the tracked values, or remove it",
    "HA508": "write the hook, or remove `skip`",
    "HA509": "convert it through the API server, and correct it there",
    "HA510": "correct what the message names, or raise the `budget` of the carrier",
    "HA511": "correct what the message names, or ignore this",
    "HA900": "correct the hook; if there is none, report it with the document",
}
"""The fixes of faults of one document, by code."""


class Fault(NamedTuple):
    """Why a document could not be converted, or lost something.

    `path` is a JSON Pointer into it, `edge` the two versions of the failing step or "", `fix` ""
    for the usual one of `code`. `stack` is the traceback if requested; `where` is
    `file:line:column`, or "" if only the caller knows it.
    """

    code: str
    path: str
    message: str
    edge: str = ""
    subject: str = ""
    fix: str = ""
    stack: str = ""
    where: str = ""

    def __str__(self) -> str:
        parts = (self.subject, " ".join(filter(None, (self.edge, self.path))), self.message)
        text = f"{self.code} {self.where}: {': '.join(filter(None, parts))}"
        return f"{text}\n    fix: {self.helps}"

    @property
    def helps(self) -> str:
        """What helps."""
        return self.fix or FIXES.get(self.code, "correct what the message names")

    def to_json(self) -> JsonObject:
        """Return the fault as JSON, for `--json`."""
        return {
            "code": self.code,
            "where": self.where,
            "subject": self.subject,
            "edge": self.edge,
            "path": self.path,
            "message": self.message,
            "fix": self.helps,
            **({"traceback": self.stack} if self.stack else {}),
        }


@dataclass(slots=True)
class Batch:
    """One run over any number of documents; `report` gets each failure with the value that failed.

    `warn` gets one line for each bag entry that found no place; `lost` counts the objects that lost
    data this way. With `pass_unknown`, objects of unknown kinds pass unchanged. An object with a
    flaw by `find_flaws` is a failure. With `stacks`, failures have tracebacks.
    """

    schemes: Schemes
    to: str
    report: Callable[[Fault, JsonValue], None]
    warn: Callable[[str], None]
    pass_unknown: bool = False
    find_flaws: FindFlaws | None = None
    stacks: bool = False
    converted: int = field(default=0, init=False)
    passed: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)
    lost: int = field(default=0, init=False)

    def convert(self, document: Document) -> list[JsonValue]:
        """Return the converted document as the only element; none if its object failed.

        The document's values are reused.
        """
        return self._value(document.value, document, "")

    def _value(self, value: JsonValue, document: Document, pointer: str) -> list[JsonValue]:
        items = list_items(value)
        # A kind of a scheme may also be named `...List`.
        if items is None or not is_json_object(value) or self.schemes.knows(value):
            return self._object(value, document, pointer)
        return [self._list(value, items, document, pointer)]

    def _list(
        self, value: JsonObject, items: list[JsonValue], document: Document, pointer: str
    ) -> JsonObject:
        """Convert the items of a list; those of a typed one may omit apiVersion and kind."""
        kind = str(value["kind"])
        head: JsonObject = {}
        if kind != LIST:
            head = {"apiVersion": value.get("apiVersion"), "kind": kind.removesuffix(LIST)}
        converted: list[JsonValue] = []
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
        return {**value, **self._target_head(head), "items": converted}

    def _target_head(self, head: JsonObject) -> JsonObject:
        """Return apiVersion and kind of a typed list whose items are of the target version."""
        if not head or not self.schemes.knows(head):
            return {}
        try:
            target = self.schemes.target(str(head["apiVersion"]), str(head["kind"]), to=self.to)
        except UnknownKindError:
            return {}  # reported for each item: none was converted
        return {"apiVersion": target[0], "kind": target[1] + LIST}

    def _object(self, value: JsonValue, document: Document, pointer: str) -> list[JsonValue]:
        if self.pass_unknown and _is_named(value) and not self.schemes.knows(value):
            self.passed += 1
            return [value]
        losses: Report = []
        try:
            # The conversion consumes the given object, but nothing nested in it.
            own: JsonValue = {**value} if is_json_object(value) else value
            result = self.schemes.convert(own, to=self.to, report=losses)
            # A hook may have added a value that is not JSON.
            checked = _json.copy_checked(result)
            if self.find_flaws is not None and is_json_object(checked):
                raise_if_invalid(checked, self.schemes.names_of(checked), self.find_flaws)
        except HoldallError as error:
            self.failed += 1
            subject = self.schemes.subject_of(value)
            fault = describe_failure(error, subject, document, pointer, stacks=self.stacks)
            self.report(fault, value)
            return []
        self.converted += 1
        self.lost += loses(losses)
        for loss in losses:
            self.warn(f"{document.where(pointer)}: {self.schemes.subject_of(value)}: {loss}")
        return [checked]


def raise_if_invalid(value: JsonObject, names: Names, find_flaws: FindFlaws) -> None:
    """Raise InvalidResult if `find_flaws` finds any in an object."""
    if flaws := [*find_flaws(names, value)]:
        raise InvalidResult(flaws)


def describe_failure(
    error: HoldallError,
    subject: str,
    document: Document | None = None,
    pointer: str = "",
    *,
    stacks: bool = False,
) -> Fault:
    """Return an object's error as a Fault; the object is at a JSON Pointer in a document."""
    path, edge, message, fix, code = "", "", str(error), "", error.code
    if isinstance(error, ConversionError):
        path, message = error.path, error.rule
        edge = " -> ".join(error.edge) if error.edge else ""
    elif isinstance(error, DecodeError):
        path, message = error.path, error.message
    elif isinstance(error, InvalidResult):
        path, message, fix = error.path, error.message, error.fix
    elif isinstance(error, ProblemsError) and error.problems:
        first = error.problems[0]
        code = first.code
        if len(error.problems) == 1:
            message, fix = first.message, first.fix
    where = document.where(pointer + path) if document is not None else ""
    stack = "".join(traceback.format_exception(error)) if stacks else ""
    return Fault(code, path, message, edge, subject, fix, stack, where)


def _is_named(value: JsonValue) -> bool:
    return (
        is_json_object(value)
        and isinstance(value.get("apiVersion"), str)
        and isinstance(value.get("kind"), str)
    )
