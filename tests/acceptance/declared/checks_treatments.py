"""Checks of how a status fares on each step: copied, absent or tracked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from holdall_codegen.declared.grammar import parse_version
from tests.acceptance.declared.cases import FormError, Node
from tests.acceptance.declared.checks_generated import find_kind
from tests.acceptance.declared.checks_objects import treatments
from tests.acceptance.declared.generated import generated
from tests.acceptance.declared.subject import Checks, Subject, compare

CHECKS: Final = Checks()


@CHECKS.add("expect.object_conversions")
def check_object_conversions(subject: Subject, expected: object) -> Iterable[str]:
    """How the status is treated per step, wherever the words stand in the expectation."""
    if subject.declaration is None:
        return
    group = generated(subject)
    containers = [item for item in subject.declaration.containers if item.resource]
    found: dict[str, dict[tuple[str, str], str]] = {}
    for container in containers:
        cls = find_kind(group, container.name)
        if cls is None:
            yield f"object_conversions.{container.name}: there is no kind with this spec"
            continue
        steps = group.once(
            ("treatments", cls.NAME), partial(treatments, subject, group, cls, container)
        )
        found[container.name] = found[cls.NAME] = steps
    default = containers[0].name if containers else ""
    yield from _words(expected, found, _Step(default), "object_conversions")


@dataclass(frozen=True, slots=True)
class _Step:
    """What a word of the expectation is said of: a container, and steps with these ends."""

    container: str
    source: str = ""
    target: str = ""
    direction: str = ""

    def narrowed(self, row: Node, where: str) -> _Step:
        """Return the step that a row speaks of. Raises FormError for an unknown direction."""
        direction = str(row.get("direction", self.direction))
        if direction not in ("", "upgrade", "downgrade"):
            raise FormError(f"{where} has the unknown direction {direction}")
        return _Step(
            str(row.get("container", row.get("kind", self.container))),
            str(row.get("from", self.source)),
            str(row.get("to", self.target)),
            direction,
        )

    def within(self, key: str, known: Mapping[str, object]) -> _Step:
        """Return the step that a key speaks of: a name, or two versions."""
        if key in known:
            return replace(self, container=key)
        if key in ("upgrade", "downgrade"):
            return replace(self, direction=key)
        ends = re.findall(r"\bv\d+(?:(?:alpha|beta)\d+)?\b", key)
        return replace(self, source=ends[0], target=ends[1]) if len(ends) == 2 else self

    def holds(self, source: str, target: str) -> bool:
        is_upgrade = parse_version(source) < parse_version(target)
        return (
            self.source in ("", source)
            and self.target in ("", target)
            and self.direction in ("", "upgrade" if is_upgrade else "downgrade")
        )


def _words(
    value: Any, known: Mapping[str, Mapping[tuple[str, str], str]], step: _Step, where: str
) -> Iterator[str]:
    if isinstance(value, str):
        if value not in ("copied", "absent", "tracked"):
            raise FormError(f"{where} has the unknown treatment {value}")
        steps = known.get(step.container, {})
        matching = {ends: word for ends, word in steps.items() if step.holds(*ends)}
        if not matching and steps:
            yield f"{where}: there is no such step"
        for ends, word in matching.items():
            yield from compare(f"{where} ({' -> '.join(ends)})", value, word)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _words(item, known, step, f"{where}[{index}]")
    elif isinstance(value, dict):
        inner = step.narrowed(value, where)
        for key, item in value.items():
            if key not in ("from", "to", "direction", "container", "kind"):
                yield from _words(item, known, inner.within(key, known), f"{where}.{key}")
