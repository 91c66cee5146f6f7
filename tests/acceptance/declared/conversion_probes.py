"""What the generated converters do, against the rows of a conversion map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from holdall.errors import HoldallError
from holdall_codegen.declared.model import Container, Item
from holdall_codegen.declared.types import (
    DeclType,
    DictOf,
    ListOf,
    Named,
    OptionalOf,
    Scalar,
    parts,
)
from tests.acceptance.declared.cases import FormError, Node
from tests.acceptance.declared.checks_objects import SKIPPED, skips_inside
from tests.acceptance.declared.generated import Generated
from tests.acceptance.declared.neutral_functions import python_name, render_function
from tests.acceptance.declared.neutral_names import UNTOLD
from tests.acceptance.declared.neutral_values import values
from tests.acceptance.declared.subject import Subject

_UNTOLD: Final = object()


@dataclass(frozen=True, slots=True)
class Probe:
    """Converts a value of a container one step, and looks at each item of the result."""

    subject: Subject
    group: Generated
    container: Container
    source: str
    target: str
    where: str

    def differences(self, rows: Sequence[Node], dropped: Sequence[str]) -> Iterator[str]:
        """Yield the items of the result that are not what their row says."""
        if self.container.form == "union":
            yield from self._variants(rows)
            return
        key = ("probe", self.container.name, self.source, self.target)
        outcome = self.group.once(key, self._outcome)
        if isinstance(outcome, HoldallError):
            if not self._is_untold(str(outcome)):
                yield f"{self.where}: no value converts: {outcome}"
            return
        given, found = outcome
        here, there = self._names(self.source), self._names(self.target)
        for name in dropped:
            if here.get(name) in found and here[name] not in there.values():
                yield f"{self.where}: {name} is dropped, but the result has it"
        for row in rows:
            wanted = self._wanted(row, given)
            value = found.get(there[str(row["to"])])
            if wanted is not _UNTOLD and (wanted, type(wanted)) != (value, type(value)):
                yield f"{self.where}.{row['to']}: expected {wanted!r}, the result has {value!r}"

    def _is_untold(self, failure: str) -> bool:
        """Tell whether a failure is that of a part for which the case leaves open what it does."""
        older, newer = sorted((self.source, self.target), key=self.group.versions.index)
        skips = skips_inside(self.group.declaration, self.container, older, newer)
        return UNTOLD in failure or (SKIPPED in failure and skips)

    def _outcome(self) -> tuple[Any, Any] | HoldallError:
        """Return the first value that converts and its result, else the first failure."""
        failure: HoldallError | None = None
        name = self.container.name
        for given in values(self.subject.case, self.group.declaration, name, self.source):
            try:
                return given, self.group.convert(name, self.source, self.target, given)
            except HoldallError as error:
                failure = failure or error
        return failure or HoldallError("there is no value")

    def _wanted(self, row: Node, given: Any) -> Any:
        """Return what a row says of its item, as far as that can be told without converters."""
        via = str(row.get("via"))
        type_ = next(item.type for item in self._shape(self.target) if item.name == row["to"])
        if row.get("from") is None:
            if via.startswith("default_fn:"):
                return self._call(via.removeprefix("default_fn:"))
            return _default(type_)
        source = self._names(self.source).get(str(row["from"]), "")
        if source not in given:
            return _UNTOLD
        if via.startswith("fn:"):
            return self._call(via.removeprefix("fn:"), given[source])
        before = next(item.type for item in self._shape(self.source) if item.json_name == source)
        if before == type_ and isinstance(type_, Named) and not type_.arguments:
            return self.group.convert(type_.container, self.source, self.target, given[source])
        return given[source] if _is_plain(type_) and _is_plain(before) else _UNTOLD

    def _variants(self, rows: Sequence[Node]) -> Iterator[str]:
        """A bare variant becomes what its row says."""
        here, there = self._names(self.source), self._names(self.target)
        bare = {item.name for item in self._shape(self.source) if item.type is None}
        for row in rows:
            if row.get("from") not in bare or row.get("to") not in there:
                continue
            given, wanted = here[str(row["from"])], there[str(row["to"])]
            found = self.group.convert(self.container.name, self.source, self.target, given)
            if found != wanted:
                yield f"{self.where}: expected {given!r} to become {wanted!r}, found {found!r}"

    def _shape(self, version: str) -> tuple[Item, ...]:
        return self.container.shapes[version]

    def _names(self, version: str) -> dict[str, str]:
        return {item.name: item.json_name for item in self._shape(version)}

    def _call(self, name: str, *arguments: Any) -> Any:
        operation = self.subject.case.functions.get(name)
        if operation is None:
            return _UNTOLD
        names: dict[str, Any] = {}
        python = python_name(name)
        try:
            exec("\n".join(render_function(python, operation, name)), names)
        except FormError:
            return _UNTOLD
        function: Callable[..., Any] = names[python]
        return function(*arguments)


def _is_plain(type_: DeclType | tuple[DeclType, ...] | None) -> bool:
    """Tell whether values of a type hold nothing that could be converted on its own."""
    if type_ is None or isinstance(type_, tuple):
        return False
    return all(isinstance(part, (Scalar, OptionalOf, ListOf, DictOf)) for part in parts(type_))


def _default(type_: DeclType | tuple[DeclType, ...] | None) -> Any:
    match type_:
        case Scalar(width):
            return {"bool": False, "str": "", "float": 0.0}.get(width, 0)
        case OptionalOf():
            return None
        case ListOf():
            return []
        case DictOf():
            return {}
        case _:
            return _UNTOLD
