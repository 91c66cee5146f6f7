"""Properties that only one side of an edge has, with a default if nothing is kept.

Source: docs/declared.md, "Functions".
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from holdall.engine.computed import read_result
from holdall.engine.functions import function, wrong_result
from holdall.engine.lossy_pairs import Linked
from holdall.engine.open_bag import NO_ENTRY, OpenBag
from holdall.errors import FunctionFailure
from holdall.objects.bag_forms import Form
from holdall.objects.views import StorageObject
from holdall.plan.misfits import misfit
from holdall.text import json as _json
from holdall.types import JsonValue


@dataclass
class Defaulted:
    """A property without partner and its default: a value, or a function without arguments.

    With `of_parent` the function gets the other side's object as plain JSON. Values equal to the
    default are not kept, except with `always`. So a default has its whole numbers as a server
    writes them: otherwise what it has written would be kept, as a value of a client. With `null`
    the property is any JSON, and None is null.
    """

    origin: str
    name: str
    form: Form
    default: JsonValue | function
    _: KW_ONLY
    of_parent: bool = False
    always: bool = False
    null: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.default, function):
            self.default = _json.without_fractions(self.default)

    def pull(self, bag: OpenBag, linked: Linked | None = None) -> Any:
        """Remove and return the kept value, None if absence was kept, else the default.

        Values of versions to which the property is `linked` count as kept.
        """
        if bag:
            if linked is not None and linked.concerns(bag):
                bag.forget_absent(self.origin, self.name)
                return linked.pull(bag)
            if bag.has(self.origin, self.name):
                value = bag.pull_checked(self.origin, self.name, self.form)
                if value is not NO_ENTRY:
                    return value
            if bag.is_absent(self.origin, self.name):
                bag.forget_absent(self.origin, self.name)
                return None
        made = self._made(bag)
        if made is None and self.null:
            bag.destination.extra_[self.name] = None
        return made

    def _made(self, bag: OpenBag) -> Any:
        step = self.default
        if not isinstance(step, function):
            return self._static()
        owner = bag.crossing.destination_type
        try:
            return self._checked(step, self._called(step, bag.source), owner)
        except FunctionFailure as failure:
            raise failure.at(bag.source, self.name) from failure.__cause__

    def stash(self, value: Any, bag: OpenBag) -> None:
        """Keep a value, or absence, that differs from the default."""
        absent = value is None and not bag.is_null(self.name)
        if not self.always and self._is_default(value, absent, bag):
            if value is None and not absent:
                bag.leave_null(self.name)
            return
        if absent:
            bag.mark_absent(self.origin, self.name)
        elif value is not None:  # a null is kept when the nulls are carried over
            bag.put(self.origin, self.name, self.form.write(value))

    def _is_default(self, value: Any, absent: bool, bag: OpenBag) -> bool:
        step, is_plain = self.default, self.form.is_plain
        if not isinstance(step, function):
            return self._is_same(step if is_plain else self._static(), value, absent)
        if self.of_parent:
            # The function must see what it will see on the way back, including nulls and extras.
            bag.destination.property_bag = None
            bag.carry_nulls()
        try:
            result = self._called(step, bag.destination)
            made = result if is_plain else self._read(step, result)
            if not self._is_same(made, value, absent):
                return False
            self._checked(step, result, bag.crossing.source_type)
        except FunctionFailure:
            return False  # it is not needed if a value is kept, and fails when it is needed
        return True

    def _is_same(self, default: Any, value: Any, absent: bool) -> bool:
        if default is None or value is None:
            return default is None and value is None and absent != self.null
        if self.form.is_plain:
            return _json.same(default, value)
        return _json.same(self.form.write(default), self.form.write(value))

    def _static(self) -> Any:
        """Return a copy of the default value, which the generator has checked."""
        value: Any = _json.copy(self.default)
        return value if value is None or self.form.is_plain else self.form.read(value, False)

    def _called(self, step: function, parent: StorageObject) -> JsonValue:
        """Call the function, with the other side's object if it needs that."""
        result = step(parent.api_members_()) if self.of_parent else step()
        made: JsonValue = _json.without_fractions(result)
        return made

    def _read(self, step: function, result: JsonValue) -> Any:
        return None if result is None else read_result(step, self.form, result)

    def _checked(self, step: function, result: JsonValue, owner: type) -> Any:
        """Check the result of the function for the property's type."""
        made = self._read(step, result)
        error = misfit(owner, self.origin, self.name, result)
        if error is not None:
            raise wrong_result(step.path, error) from error
        return made
