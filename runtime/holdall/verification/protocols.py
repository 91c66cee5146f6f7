"""The existing hook protocols, by dotted name: look-up, nearest names, and definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Literal

from holdall.engine.hook_points import HookPoint
from holdall.suggest import closest, fold

Way = Literal["to", "from"]
WAYS: tuple[Way, Way] = ("to", "from")
METHODS: dict[str, Way] = {"assign_properties_to": WAYS[0], "assign_properties_from": WAYS[1]}
NAMES: dict[Way, str] = {way: name for name, way in METHODS.items()}
PREFIX = "Assignable"


class Protocols:
    """All hook points of the groups that one hooks package serves."""

    def __init__(
        self,
        points: Sequence[HookPoint],
        group_packages: Sequence[str],
        is_foreign: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.is_foreign = is_foreign
        self.points = tuple(points)
        self._groups = tuple(f"{package}." for package in group_packages)
        self._found = {dotted(point): point for point in points}
        self._twin_modules: dict[str, str] = {}
        self._versions: dict[str, str] = {}
        for point in points:
            for module, version in (
                (point.module, point.older_version),
                (point.newer_module, point.newer_version),
            ):
                package = module.rpartition(".")[0]
                self._twin_modules[package] = module
                self._versions[module] = self._versions[package] = version

    def find(self, name: str) -> HookPoint | None:
        """Return the hook point of the protocol with a dotted name."""
        return self._found.get(name)

    def is_generated(self, name: str) -> bool:
        """Return whether a dotted name is in one of the generated packages."""
        return name.startswith(self._groups)

    def is_pretender(self, name: str) -> bool:
        """Return whether a base with a dotted name looks like a protocol but is not."""
        if self.find(name) or self.is_foreign(name):
            return False
        return self.is_generated(name) or poses(name.rpartition(".")[2])

    def is_gone(self, name: str) -> bool:
        """Return whether a dotted name is in a module of twins that no version has."""
        module, _, _ = name.rpartition(".")
        is_storage = module.endswith(".storage") and self.is_generated(name)
        return is_storage and module not in self._versions

    def version_of(self, type_name: str) -> str:
        """Return the version of a twin or an API type given by dotted name; "" if unknown."""
        return self._versions.get(type_name.rpartition(".")[0], "")

    def twin_of(self, type_name: str) -> str:
        """Return the dotted name of the twin of an API type; "" for other types."""
        package, _, name = type_name.rpartition(".")
        module = self._twin_modules.get(package)
        return f"{module}.{name}" if module else ""

    def joining(self, one: str, other: str) -> HookPoint | None:
        """Return the point that joins two twins or API types given in any order."""
        wanted = {self.twin_of(one) or one, self.twin_of(other) or other}
        for point in self.points:
            if {older(point), newer(point)} == wanted:
                return point
        return None

    def nearest(self, name: str) -> HookPoint | None:
        """Return the point whose protocol a dotted name most probably means."""
        module, _, last = name.rpartition(".")
        wanted = (last, f"{PREFIX}{last}")
        same = [point for point in self.points if point.protocol in wanted]
        if not same:
            near = [p for p in self.points if p.module in (module, self._twin_modules.get(module))]
            like = closest(last, (p.protocol for p in near), 0.7)
            same = [point for point in near if point.protocol == like]
        if not same:
            like = closest(last, (p.protocol for p in self.points))
            same = [point for point in self.points if point.protocol == like]
        by_module = {point.module: point for point in same}
        twin_module = self._twin_modules.get(module, module)
        chosen = closest(twin_module, by_module, 0.0)
        return by_module[chosen] if chosen else None


@lru_cache(maxsize=10_000)  # modules that import hooks or versions repeat their names
def poses(name: str) -> bool:
    """Return whether a class name begins with `Assignable`, or nearly so."""
    start = fold(name)[: len(PREFIX)]
    return len(name) > 6 and bool(closest(start, [PREFIX], 0.8))


def dotted(point: HookPoint) -> str:
    """Return the dotted name of the protocol of a point."""
    return f"{point.module}.{point.protocol}"


def older(point: HookPoint) -> str:
    """Return the dotted name of the older twin."""
    return f"{point.module}.{point.older_type}"


def newer(point: HookPoint) -> str:
    """Return the dotted name of the newer twin."""
    return f"{point.newer_module}.{point.newer_type}"


def expected_types(point: HookPoint, way: Way) -> dict[str, str]:
    """Return the dotted names of the twins that a method is annotated with."""
    pair = (older(point), newer(point)) if way == "to" else (newer(point), older(point))
    return dict(zip(("source", "destination"), pair, strict=True))


def short(name: str) -> str:
    """Return `version.Type` for the dotted name of a twin in the module `…version.storage`."""
    module, _, last = name.rpartition(".")
    return f"{module.removesuffix('.storage').rpartition('.')[2]}.{last}" if module else last


def spelling(module: ModuleType) -> Callable[[str], str]:
    """Return how a module writes the dotted names of generated classes."""

    def spell(name: str) -> str:
        package, _, last = name.rpartition(".")
        for own, value in vars(module).items():
            if isinstance(value, type) and name_of(value) == name:
                return own
            if isinstance(value, ModuleType) and value.__name__ == package:
                return f"{own}.{last}"
        return short(name)

    return spell


def name_of(cls: type) -> str:
    """Return the dotted name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def signature(point: HookPoint, way: Way, spell: Callable[[str], str]) -> str:
    """Return the line that defines one method of a hook."""
    types = expected_types(point, way)
    given = ", ".join(f"{name}: {spell(twin)}" for name, twin in types.items())
    return f"def {NAMES[way]}(self, {given}, bag: BagView) -> None: ..."


def definition(point: HookPoint, spell: Callable[[str], str]) -> str:
    """Return the definition of a protocol in the form of a hook."""
    lines = [f"class {point.protocol}(Protocol):  # {point.module}"]
    lines += [f"    {signature(point, way, spell)}" for way in WAYS]
    return "\n".join(lines)
