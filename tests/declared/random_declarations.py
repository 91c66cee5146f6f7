"""Random declarations with random objects, for laws that hold for all of them."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.support.objects import resource

_FUNCTIONS = """
def halve(value: int) -> int:
    return value // 2


def double(value: int) -> int:
    return value * 2


def to_text(value: int) -> str:
    return str(value)


def to_number(value: str) -> int:
    return int(value) if value.lstrip("-").isdecimal() else 0


def seven() -> int:
    return 7


def star() -> str:
    return "*"
"""

_SCALARS = ("int", "str", "bool", "float", "U8")


class Declarations:
    """Writes one declaration; the same numbers give the same text."""

    def __init__(self, random: Random, tracking: str) -> None:
        self.random = random
        self.versions = ["v1alpha1", "v1beta1", "v1", "v2"][: random.randint(2, 4)]
        self.tracking = tracking
        self.objects = [f"Part{number}" for number in range(random.randint(1, 3))]
        self.enums = ["Color"]
        self.unions = ["Shape"]

    def text(self) -> str:
        """Return the text of the module, without its imports."""
        listed = ", ".join(f'Version("{version}")' for version in self.versions)
        parts = [f"VERSIONS = Versions({listed}, {self.tracking})", _FUNCTIONS]
        parts.extend(
            self._object(name, self.objects[:index]) for index, name in enumerate(self.objects)
        )
        parts.append(self._enum("Color"))
        parts.append(self._union("Shape"))
        spec = self._fields([*self.objects, "Color", "Shape"])
        parts.append(f'@resource(group="r.example.com")\nclass ThingSpec:\n{spec}')
        return "\n\n\n".join(parts) + "\n"

    def _later(self) -> str:
        return self.random.choice(self.versions[1:])

    def _object(self, name: str, others: list[str]) -> str:
        return f"@obj\nclass {name}:\n{self._fields(others)}"

    def _fields(self, others: list[str]) -> str:
        lines = ["    name: str"] if self.random.random() < 0.6 else []
        for number in range(self.random.randint(1, 5)):
            lines.append(self._field(f"field{number}", others))
        return "\n".join(lines)

    def _field(self, name: str, others: list[str]) -> str:
        type_ = self.random.choice([*_SCALARS, *others, *others])
        if self.random.random() < 0.5:
            type_ = self.random.choice(["list[{}]", "dict[str, {}]", "{} | None"]).format(type_)
        actions: list[str] = []
        declared = name
        choice = self.random.random()
        if choice < 0.3:
            default = {"int": ", default=seven", "str": ", default=star"}.get(type_, "")
            actions.append(
                f'added("{self._later()}"{default if self.random.random() < 0.5 else ""})'
            )
        elif choice < 0.4:
            actions.append(f'removed("{self._later()}")')
        elif choice < 0.6:
            actions.append(f'changed("{self._later()}", from_name="was_{name}")')
        elif choice < 0.8 and type_ in ("int", "str"):
            actions.append(self._retyped(type_))
        elif choice < 0.9:
            declared = f"deprecated_{name}"
            actions.append(f'deprecated("{self._later()}", note="no more")')
        if not actions:
            return f"    {declared}: {type_}"
        return f"    {declared}: Annotated[{type_}, {', '.join(actions)}]"

    def _retyped(self, type_: str) -> str:
        since = self._later()
        options = {
            "int": [
                "from_type=int, upgrade_with=halve, downgrade_with=double",
                "from_type=str, upgrade_with=to_number, downgrade_with=to_text",
                "from_type=U8",
                "from_type=bool",
            ],
            "str": [
                "from_type=int, upgrade_with=to_text, downgrade_with=to_number",
                "from_type=bool",
            ],
        }
        return f'changed("{since}", {self.random.choice(options[type_])})'

    def _enum(self, name: str) -> str:
        lines = ["    Red: Annotated[Unit, default_variant]"]
        if self.random.random() < 0.7:
            lines.append(f'    Green: Annotated[Unit, added("{self._later()}", fallback="Red")]')
        if self.random.random() < 0.5:
            lines.append(
                f'    Blue: Annotated[Unit, changed("{self._later()}", from_name="Azure")]'
            )
        return f"@union\nclass {name}:\n" + "\n".join(lines)

    def _union(self, name: str) -> str:
        part = self.random.choice(self.objects)
        lines = ["    Plain: Annotated[Unit, default_variant]", f"    Filled: {part}"]
        if self.random.random() < 0.5:
            lines.append(f"    Pair: tuple[{part}, int]")
        if self.random.random() < 0.5:
            lines.append(
                f'    Fancy: Annotated[{part}, added("{self._later()}", fallback="Plain")]'
            )
        if self.random.random() < 0.5:
            lines.append(f'    Bare: Annotated[Unit, added("{self._later()}", fallback="Plain")]')
        return f"@union\nclass {name}:\n" + "\n".join(lines)


class Objects:
    """Makes objects that their version's declared types accept, some with values left out."""

    def __init__(self, random: Random, types: Any, *, partial: bool) -> None:
        self.random = random
        self.types = types
        self.partial = partial

    def document(self, api_version: str, kind: str, ref: Any) -> dict[str, Any]:
        spec = self.types.types[ref].members["spec"].type.type
        return resource(api_version, kind, "x", spec=self.named(spec, 0))

    def named(self, ref: Any, depth: int) -> Any:
        declared = self.types.types[ref]
        if declared.form == "union":
            unit = declared.members["$unit"].type
            name = self.random.choice([*unit.enum, *(n for n in declared.members if n != "$unit")])
            if name in unit.enum:
                return name
            return {name: self.value(declared.members[name].type, depth + 1)}
        if declared.form == "tuple":
            return [self.value(item.type, depth + 1) for item in declared.members.values()]
        members: dict[str, Any] = {}
        for member in declared.members.values():
            if self.partial and self.random.random() < 0.2:
                continue
            if member.nullable and self.random.random() < 0.5:
                if self.random.random() < 0.5:
                    members[member.name] = None
                continue
            members[member.name] = self.value(member.type, depth + 1)
        return members

    def value(self, type_: Any, depth: int) -> Any:
        name = type(type_).__name__
        if name == "Ref":
            return self.named(type_.type, depth)
        size = 0 if depth > 6 else self.random.randint(0, 3)
        if name == "ListOf":
            return [self.value(type_.item, depth + 1) for _ in range(size)]
        if name == "MapOf":
            keys = self.random.sample(["a", "b.c", "d'e", "ü"], size)
            return {key: self.value(type_.value, depth + 1) for key in keys}
        if type_.enum:
            return self.random.choice(type_.enum)
        kind = type_.kinds[0]
        if kind == "integer":
            return self.random.choice([0, 1, 7, 200, 255])
        if kind == "number":
            return self.random.choice([0.0, 1.5, 2])
        if kind == "boolean":
            return self.random.choice([True, False])
        return self.random.choice(["", "*", "5", "x", "ü"])
