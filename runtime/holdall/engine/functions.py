"""Functions that a user wrote for single values: found when first called, checked when they return.

A function gets and returns plain JSON: scalars, lists and dicts in the wire form of their version.
It may return a generated API type, too. It must be pure. Source: declared versions, section 4.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Final

from holdall.engine.code_texts import keep_texts
from holdall.engine.failures import describe
from holdall.errors import DecodeError, FunctionFailure
from holdall.text import json as _json
from holdall.text.json_path import json_path
from holdall.types import JsonValue

_JSON: Final = frozenset({bool, int, float, str, list, dict, type(None)})


class FunctionRefusal(FunctionFailure):
    """A function that raised: it has no result for its argument."""


class function:
    """A function by its import path, `package.module:name`; imported when it is first called."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> JsonValue:
        """Return what the function makes of its arguments, sharing nothing with it.

        Raises FunctionFailure if it raises anything but KeyboardInterrupt, or returns what is not
        JSON: FunctionRefusal if the function itself raises an Exception.
        """
        found = self._found
        try:
            if found is None:
                found = self.load()
            result = found(*arguments)
            if type(result) not in _JSON and hasattr(result, "to_dict"):
                result = result.to_dict()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            is_refusal = found is not None and isinstance(error, Exception)
            failure = FunctionRefusal if is_refusal else FunctionFailure
            raise failure(f"{self.path}: {describe(error)}") from error
        if type(result) is bool or (type(result) is str and result.isascii()):
            return result
        try:
            return _json.copy_checked(result)
        except DecodeError as error:
            raise FunctionFailure(f"{self.path} returned no JSON: {error}") from error

    def load(self) -> Callable[..., Any]:
        """Return the function, which is imported at the first time. Raises what that raises."""
        if self._found is not None:
            return self._found
        module, _, name = self.path.partition(":")
        found: Any = importlib.import_module(module)
        keep_texts(module)
        for part in name.split("."):
            found = getattr(found, part)
        self._found = found
        return found  # type: ignore[no-any-return]


def wrong_result(path: str, error: DecodeError) -> FunctionFailure:
    """Return the failure of a function whose result does not fit its type."""
    place = f" at {json_path(error.path)}" if error.path else ""
    return FunctionFailure(f"{path} returned what does not fit{place}: {error.message}")
