"""The functions and opaque types that a module of a case needs, each written once."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from tests.acceptance.declared.cases import FormError, Node, node
from tests.acceptance.declared.neutral_functions import python_name, render_function
from tests.acceptance.declared.neutral_types import EXTERNALS, TypeText, external_name, parse_type

# What a function says that the case names only: nothing can be told of values that meet it.
UNTOLD: Final = "the case does not say what it does"


class Names:
    """Functions and aliases of one module, made when they are first asked for.

    `defined` are the functions of the case, `taken` the names of its classes. `meanings` maps the
    Python name of a function to the neutral one; to `into` and `default` for implicit ones.
    """

    def __init__(self, defined: Node, taken: Collection[str]) -> None:
        self.defined = defined
        self.taken = taken
        self.meanings: dict[str, str] = {}
        self.functions: dict[str, list[str]] = {}
        self.externals: dict[str, list[str]] = {}

    def text(self) -> list[str]:
        """Return the lines of all functions and aliases."""
        parts = [*self.functions.values(), *self.externals.values()]
        return [line for part in parts for line in part]

    def function(self, name: str) -> str:
        """Return the Python name of a function, which is written once; unknown ones raise."""
        python = python_name(name)
        if python in self.taken:
            python = f"fn_{python}"
        self.write(python, name, self.defined.get(name))
        return python

    def write(self, python: str, means: str, operation: object) -> None:
        if python in self.functions:
            return
        self.meanings[python] = means
        if operation is None:
            # The case does not say what it does; of a type, the default is then null.
            unknown = f'raise NotImplementedError("{UNTOLD}")'
            body = "return None" if means == "default" else unknown
            self.functions[python] = [f"def {python}(*value):", f"    {body}", "", ""]
        else:
            self.functions[python] = render_function(python, node(operation, means), means)

    def into(self, older: TypeText, newer: TypeText) -> str | None:
        """Return the function of an implicit conversion that the case defines, if it does.

        It goes through equal wrappers to the types that differ.
        """
        if older.word == newer.word and older.word in ("option", "list", "map"):
            inner = self.into(older.parts[-1], newer.parts[-1])
            if inner is None:
                return None
            python = f"{inner}_in_{older.word}"
            body = {
                "option": f"return None if value is None else {inner}(value)",
                "list": f"return [{inner}(item) for item in value]",
                "map": f"return {{key: {inner}(item) for key, item in value.items()}}",
            }[older.word]
            self.meanings[python] = "into"
            self.functions[python] = [f"def {python}(value):", f"    {body}", "", ""]
            return python
        if newer.word == "option" and older.word != "option":
            return self.into(older, newer.parts[0])
        for name, operation in self.defined.items():
            if name.startswith("into:") and "->" in name:
                left, right = name.removeprefix("into:").split("->", 1)
                if _same(left, older) and _same(right, newer):
                    python = python_name(name)
                    self.write(python, "into", operation)
                    return python
        return None

    def default_of(self, name: str) -> str:
        """Return the function that makes the default of an opaque type or of a container."""
        python = f"default_of_{python_name(name)}"
        for key in (name, f"ext:{name}", f"@{name}"):
            if f"default:{key}" in self.defined:
                self.write(python, "default", self.defined[f"default:{key}"])
        self.write(python, "default", None)
        return python

    def external(self, type_: TypeText) -> str:
        """Return the alias of an opaque type."""
        name = external_name(type_)
        alias = f"External_{name}"
        default = self.default_of(type_.name)
        target = f"{EXTERNALS}:{name}"
        self.externals[alias] = [
            f'{alias} = typing.Annotated[_d.Json, _d.external("{target}", default={default})]'
        ]
        return alias


def _same(text: str, type_: TypeText) -> bool:
    try:
        parsed = parse_type(text.strip())
    except FormError:
        return False
    # Names may be those of the original: `Gender` for `ext:Gender`, `String` for `string`.
    is_bare = parsed.word == "bare" and parsed.name.lower() == type_.name.lower()
    return parsed == type_ or is_bare
