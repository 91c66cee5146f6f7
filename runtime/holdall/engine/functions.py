"""Users' functions for single values: found when first called, and their results checked.

A function gets and returns plain JSON: scalars, lists and dicts in the wire form of their version.
It may also return a generated API type. It must be pure. Source: docs/declared.md, "Functions".
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
    """A function raised an exception, and so has no result for its argument."""


class function:
    """A function by its import path, `package.module:name`; imported when it is first called."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._found: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> JsonValue:
        """Return the function's result, sharing nothing with it.

        Raises FunctionRefusal if the function raises an Exception, and FunctionFailure if it raises
        anything else but KeyboardInterrupt, or returns a value that is not JSON.
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
            text = f"{self.path} returned a value that is not JSON: {error}"
            raise FunctionFailure(text) from error

    def load(self) -> Callable[..., Any]:
        """Return the function, imported at first use. Raises what the import raises."""
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
    return FunctionFailure(f"{path} returned a value that does not fit{place}: {error.message}")
