"""Properties that only one side of an edge has, and that get a default where nothing is kept.

Source: declared versions, sections 4 and 5.2.
"""

from __future__ import annotations

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


class Defaulted:
    """A property without partner and its default: a value, or a function without arguments.

    With `of_parent` the function gets the other side's object as plain JSON. Kept is only what
    the default does not give again; `always` keeps every value. With `null` the property is any
    JSON: None makes it null.
    """

    def __init__(
        self,
        origin: str,
        name: str,
        form: Form,
        default: JsonValue | function,
        *,
        of_parent: bool = False,
        always: bool = False,
        null: bool = False,
    ) -> None:
        self._origin, self._name, self._form = origin, name, form
        self._default = default
        self._of_parent = of_parent
        self._always = always
        self._null = null

    def pull(self, bag: OpenBag, linked: Linked | None = None) -> Any:
        """Remove and return the kept value, None where absence was kept, else the default.

        What versions to which the property is `linked` have of it counts as kept.
        """
        if bag:
            if linked is not None and linked.concerns(bag):
                bag.forget_absent(self._origin, self._name)
                return linked.pull(bag)
            if bag.has(self._origin, self._name):
                value = bag.pull_checked(self._origin, self._name, self._form)
                if value is not NO_ENTRY:
                    return value
            if bag.is_absent(self._origin, self._name):
                bag.forget_absent(self._origin, self._name)
                return None
        made = self._made(bag)
        if made is None and self._null:
            bag.destination.extra_[self._name] = None
        return made

    def _made(self, bag: OpenBag) -> Any:
        step = self._default
        if not isinstance(step, function):
            return self._static()
        owner = bag.crossing.destination_type
        try:
            return self._checked(step, self._called(step, bag.source), owner)
        except FunctionFailure as failure:
            raise failure.at(bag.source, self._name) from failure.__cause__

    def stash(self, value: Any, bag: OpenBag) -> None:
        """Keep a value, absence included, that the default would not give again."""
        absent = value is None and not bag.is_null(self._name)
        if not self._always and self._is_default(value, absent, bag):
            if value is None and not absent:
                bag.leave_null(self._name)
            return
        if absent:
            bag.mark_absent(self._origin, self._name)
        elif value is not None:  # a null is kept when the nulls are carried over
            bag.put(self._origin, self._name, self._form.write(value))

    def _is_default(self, value: Any, absent: bool, bag: OpenBag) -> bool:
        step, is_plain = self._default, self._form.is_plain
        if not isinstance(step, function):
            return self._is_same(step if is_plain else self._static(), value, absent)
        if self._of_parent:
            # The function is to see what it will see on the way back: nulls and extras, too.
            bag.destination.property_bag = None
            bag.carry_nulls()
        try:
            result = self._called(step, bag.destination)
            made = result if is_plain else self._read(step, result)
            if not self._is_same(made, value, absent):
                return False
            self._checked(step, result, bag.crossing.source_type)
        except FunctionFailure:
            return False  # it fails when it is needed, and is not needed where a value is kept
        return True

    def _is_same(self, default: Any, value: Any, absent: bool) -> bool:
        if default is None or value is None:
            return default is None and value is None and absent != self._null
        if self._form.is_plain:
            return _json.same(default, value)
        return _json.same(self._form.write(default), self._form.write(value))

    def _static(self) -> Any:
        """Return a default value that nobody shares; the generator checked it."""
        value: Any = _json.copy(self._default)
        return value if value is None or self._form.is_plain else self._form.read(value, False)

    def _called(self, step: function, parent: StorageObject) -> JsonValue:
        """Return what the function makes, of the other side's object if it asks for that."""
        return step(parent.api_members_()) if self._of_parent else step()

    def _read(self, step: function, result: JsonValue) -> Any:
        return None if result is None else read_result(step, self._form, result)

    def _checked(self, step: function, result: JsonValue, owner: type) -> Any:
        """Return what the function made for the type that has the property."""
        made = self._read(step, result)
        error = misfit(owner, self._origin, self._name, result)
        if error is not None:
            raise wrong_result(step.path, error) from error
        return made
