"""The classes that a caller can request for a converted object: each is a kind in a version."""

from __future__ import annotations

from typing import Any, NamedTuple

from holdall.errors import ConversionError, Problem, UnknownKindError
from holdall.scheme.registry import Registry, unknown


class Target(NamedTuple):
    """A kind in a version, and the name of its class."""

    kind: str
    version: str
    name: str

    def check(self, kind: str) -> None:
        """Raise UnknownKindError unless objects of a kind can be converted to it."""
        if kind != self.kind:
            text = f"cannot convert {kind} to {self.name}, which is {self.kind}"
            fix = f"name the class of {kind} in {self.version}"
            raise UnknownKindError([Problem("HA401", "", text, fix)])


class Targets:
    """The classes of all kinds of a group, in the served versions."""

    def __init__(self, registry: Registry) -> None:
        modules = {version.name: version.module for version in registry.versions}
        self._known: dict[bool, dict[str, Target]] = {False: {}, True: {}}
        for kind in registry.kinds:
            for version in registry.served(kind):
                for is_twin, known in self._known.items():
                    module = f"{registry.package}.{modules[version]}{'.storage' * is_twin}"
                    name = f"{module}.{kind.types[version]}"
                    known[name] = Target(kind.name, version, name)

    def of(self, cls: type[Any], *, is_twin: bool) -> Target:
        """Return the kind and version of a class; an API type may be a subclass of the kind's.

        Twins become twins, and other objects do not. Raises ConversionError for a class of the
        wrong form, and UnknownKindError for one of no kind.
        """
        known, others = self._known[is_twin], self._known[not is_twin]
        for base in (cls,) if is_twin else cls.__mro__:
            if (found := known.get(_name(base))) is not None:
                return found
        if (other := others.get(_name(cls))) is not None:
            fix = next(it.name for it in known.values() if it[:2] == other[:2])
            form = "a storage twin" if is_twin else "an object that is not a storage twin"
            raise ConversionError(f"{form} cannot become {other.name}; name {fix}")
        raise unknown(f"cannot convert to {_name(cls)}", _name(cls), known)


def _name(cls: type[Any]) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
