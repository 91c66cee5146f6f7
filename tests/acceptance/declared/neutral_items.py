"""Fields and variants of the neutral form as annotated items of a Python class."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Final

from tests.acceptance.declared.cases import FormError, Node, items, node, refuse_unknown, text_of
from tests.acceptance.declared.neutral_names import Names
from tests.acceptance.declared.neutral_types import TypeText, declared_type, parse_type, python_type

_ITEM: Final = [
    "name",
    "type",
    "data",
    "docs",
    "hint",
    "nested",
    "serde_default",
    "native_deprecated",
    "added",
    "changed",
    "deprecated",
]
_HINTS: Final = {"vec": "list"}


class ItemWriter:
    """Writes the items of all classes of a module.

    `payloads` maps the helper classes of named payloads to (union, variant).
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.payloads: dict[str, tuple[str, str]] = {}

    def field(self, entry: Node, parameters: Sequence[str]) -> list[str]:
        name = str(entry.get("name"))
        refuse_unknown(entry, set(_ITEM) - {"data"}, name)
        type_ = self._type(str(entry.get("type")), parameters)
        words = self._words(entry, type_, parameters, variant=False)
        text = python_type(type_, parameters, self.names.external)
        return self._item(name, text, words, self._serde_default(entry, type_))

    def variant(
        self, union: str, entry: Node, parameters: Sequence[str], default: str | None
    ) -> list[str]:
        name = str(entry.get("name"))
        refuse_unknown(entry, set(_ITEM) - {"type", "serde_default"}, name)
        types = self._payload(union, entry, parameters)
        words = self._words(entry, types, parameters, variant=True)
        if name == default:
            words.append("_d.default_variant")
        return self._item(name, self._payload_text(types, parameters), words, "")

    def _item(self, name: str, type_: str, words: list[str], default: str) -> list[str]:
        name = name.removeprefix("r#")
        attribute = name
        if keyword.iskeyword(name) or name.startswith("__"):
            attribute = f"{name.strip('_')}_"
            words = [*words, f"_d.name({name!r})"]
        if not attribute.isidentifier():
            raise FormError(f"{name} is no name")
        annotation = f"typing.Annotated[{', '.join([type_, *words])}]" if words else type_
        return [f"    {attribute}: {annotation}{default}"]

    def _payload(
        self, union: str, entry: Node, parameters: Sequence[str]
    ) -> TypeText | tuple[TypeText, ...] | None:
        data = entry.get("data")
        if data is None:
            return None
        match node(data, "data"):
            case {"newtype": str(text), **rest} if not rest:
                return self._type(text, parameters)
            case {"tuple": [str(text)], **rest} if not rest:
                return self._type(text, parameters)
            case {"tuple": list(texts), **rest} if not rest:
                return tuple(self._type(str(text), parameters) for text in texts)
            case {"named": list(), **rest} if not rest:
                return TypeText("container", self._payload_name(union, str(entry.get("name"))))
            case _:
                raise FormError(f"{union}.{entry.get('name')} has unknown data")

    def _payload_name(self, union: str, variant: str) -> str:
        name = f"{union}{variant}Payload"
        while name in self.names.taken:
            name += "_"
        return name

    def payload_class(self, union: str, entry: Node, parameters: Sequence[str]) -> list[str]:
        data = entry.get("data")
        if not isinstance(data, dict) or "named" not in data:
            return []
        name = self._payload_name(union, str(entry.get("name")))
        self.payloads[name] = (union, str(entry.get("name")))
        body: list[str] = []
        for row in items(data["named"], "named"):
            body += self.field(node(row, "named"), parameters)
        return ["@_d.obj", f"class {name}:", *(body or ["    pass"]), "", ""]

    def _payload_text(
        self, types: TypeText | tuple[TypeText, ...] | None, parameters: Sequence[str]
    ) -> str:
        if types is None:
            return "_d.Unit"
        if isinstance(types, tuple):
            inner = ", ".join(python_type(part, parameters, self.names.external) for part in types)
            return f"tuple[{inner or '()'}]"
        return python_type(types, parameters, self.names.external)

    def _type(self, text: str, parameters: Sequence[str]) -> TypeText:
        found = parse_type(text)
        if not any(part.word == "container" for part in found.walk()):
            declared_type(found, parameters)
        return found

    def _words(
        self,
        entry: Node,
        type_: TypeText | tuple[TypeText, ...] | None,
        parameters: Sequence[str],
        *,
        variant: bool,
    ) -> list[str]:
        words: list[str] = []
        if entry.get("docs"):
            words.append(f"_d.Doc({text_of(entry['docs'])!r})")
        if "hint" in entry:
            hint = str(entry["hint"])
            words.append(f"_d.hint({_HINTS.get(hint, hint)!r})")
        if entry.get("nested"):
            words.append("_d.nested")
        if entry.get("native_deprecated"):
            note = entry["native_deprecated"]
            words.append(f"typing_extensions.deprecated({note if isinstance(note, str) else ''!r})")
        for action in _each(entry.get("added"), "added"):
            words.append(self._added(action, type_, parameters, variant=variant))
        older: dict[int, str] = self._older_types(entry, type_, variant=variant)
        for index, action in enumerate(items(entry.get("changed"), "changed")):
            words.append(self._changed(node(action, "changed"), parameters, older.get(index)))
        for action in _each(entry.get("deprecated"), "deprecated"):
            refuse_unknown(action, ("since", "note"), "deprecated")
            given = [f"note={action['note']!r}"] if action.get("note") is not None else []
            words.append(f"_d.deprecated({', '.join([*_since(action), *given])})")
        return words

    def _added(
        self,
        action: Node,
        type_: TypeText | tuple[TypeText, ...] | None,
        parameters: Sequence[str],
        *,
        variant: bool,
    ) -> str:
        refuse_unknown(action, ("since", "default"), "added")
        given = _since(action)
        if variant:
            given.append("fallback=_d.FAIL")  # The form does not say; the original has no way back.
        elif action.get("default") is not None:
            given.append(f"default={self.names.function(str(action['default']))}")
        elif isinstance(type_, TypeText) and type_.name in (*parameters, *self._with_defaults()):
            given.append(f"default={self.names.default_of(type_.name)}")
        return f"_d.added({', '.join(given)})"

    def _with_defaults(self) -> list[str]:
        """Return the containers whose default the case defines."""
        return [name for name in self.names.taken if f"default:{name}" in self.names.defined] + [
            name for name in self.names.taken if f"default:@{name}" in self.names.defined
        ]

    def _older_types(
        self, entry: Node, type_: TypeText | tuple[TypeText, ...] | None, *, variant: bool
    ) -> dict[int, str]:
        """Return the functions of implicit conversions, both ways, by the index of the change."""
        found: dict[int, str] = {}
        if not isinstance(type_, TypeText):
            return found
        changes = [node(item, "changed") for item in items(entry.get("changed"), "changed")]
        order = sorted(range(len(changes)), key=lambda index: _version_key(changes[index]))
        newer = type_
        for index in reversed(order):
            change = changes[index]
            if not isinstance(change.get("from_type"), str):
                continue
            older = parse_type(change["from_type"])
            if older != newer:
                ways = {}
                if change.get("upgrade_with") is None:
                    ways["upgrade_with"] = self.names.into(older, newer)
                if change.get("downgrade_with") is None:
                    ways["downgrade_with"] = self.names.into(newer, older)
                found[index] = ", ".join(f"{way}={name}" for way, name in ways.items() if name)
            newer = older
        return found

    def _changed(self, action: Node, parameters: Sequence[str], implicit: str | None) -> str:
        refuse_unknown(
            action,
            ("since", "from_name", "from_type", "from_docs", "upgrade_with", "downgrade_with"),
            "changed",
        )
        given = _since(action)
        if action.get("from_name") is not None:
            given.append(f"from_name={str(action['from_name']).removeprefix('r#')!r}")
        if action.get("from_type") is not None:
            given.append(f"from_type={self._from_type(action['from_type'], parameters)}")
        if action.get("from_docs") is not None:
            given.append(f"from_docs={text_of(action['from_docs'])!r}")
        for way in ("upgrade_with", "downgrade_with"):
            if action.get(way) is not None:
                given.append(f"{way}={self.names.function(str(action[way]))}")
        if implicit:
            given.append(implicit)
        return f"_d.changed({', '.join(given)})"

    def _from_type(self, value: object, parameters: Sequence[str]) -> str:
        if isinstance(value, str):
            text = python_type(self._type(value, parameters), parameters, self.names.external)
            return repr(text)
        types = self._payload("", {"name": "", "data": value}, parameters)
        return repr(self._payload_text(types, parameters))

    def _serde_default(self, entry: Node, type_: TypeText) -> str:
        given = entry.get("serde_default")
        if not given:
            return ""
        if isinstance(given, str):
            # It is for reading only: an added field gets the default of its type.
            is_added = entry.get("added") is not None
            operation = self.names.defined.get(given)
            if isinstance(operation, dict) and operation.get("op") == "const" and not is_added:
                return f" = {operation['value']!r}"
            return ""
        simple: Mapping[str, str] = {"list": "[]", "map": "{}", "option": "None"}
        scalar = {"bool": "False", "string": "''", "f32": "0.0", "f64": "0.0"}
        if type_.word in simple:
            return f" = {simple[type_.word]}"
        return f" = {scalar.get(type_.name, '0')}" if type_.word == "scalar" else ""


def _each(value: object, where: str) -> list[Node]:
    """Return an action as a list; several are a mistake that the reader has to find."""
    if value is None:
        return []
    return [node(item, where) for item in (value if isinstance(value, list) else [value])]


def _since(action: Node) -> list[str]:
    return [repr(action["since"])] if "since" in action else []


def _version_key(change: Node) -> tuple[int, int, int]:
    found = re.fullmatch(r"v(\d+)(?:(alpha|beta)(\d+))?", str(change.get("since")))
    if found is None:
        return (0, 0, 0)
    return int(found[1]), {"alpha": 0, "beta": 1}.get(found[2] or "", 2), int(found[3] or 0)
