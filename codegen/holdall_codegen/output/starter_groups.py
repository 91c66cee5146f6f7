"""One group of a first `holdall.yaml`: what is known of it, and comments that show the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from holdall_codegen.config.names import PACKAGE
from holdall_codegen.config.spelling import yaml_scalar

_KUBERNETES: Final = re.compile(r"v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?")
_STAGES: Final = {"alpha": 0, "beta": 1, None: 2}
_ORDER: Final = (
    "    # Oldest first. CHECK THIS ORDER: it was guessed from the names (alpha, beta, stable;",
    "    # then by number), and every conversion depends on it.",
)


@dataclass(frozen=True, slots=True)
class StartGroup:
    """A group: its name, the lines that say what its documents are and where its schemas come
    from, its versions, the stored one if that is known, and a type for examples."""

    name: str
    head: list[str]
    sources: list[str]
    versions: list[str]
    stored: str
    carrier: str
    example: str

    def lines(self) -> list[str]:
        """Return the lines of the group."""
        versions = self.versions
        example = ["v1", "v2"] if versions != ["v2"] else ["v2", "v3"]
        older, newer = [*versions[-2:], *example[len(versions) :]]
        return [
            f"  {yaml_scalar(self.name)}:",
            f"    # package: {self.name}   # below output; the group's name if it is left out",
            *self.head,
            "    sources:",
            *self.sources,
            *_ORDER,
            "    versions:",
            *(f"      - {yaml_scalar(version)}" for version in versions),
            *self._hub(),
            "    # edges: chain   # or star, round the hub, or pairs as [[v1, v2], [v2, v3]]",
            f"    # carrier: {self.carrier}: where values travel that a version lacks",
            "    # What differs between two versions, from the older one's side:",
            "    # between:",
            f"    #   {older} -> {newer}:",
            f"    #     {self.example}:",
            "    #       oldName: {rename: newName}",
            "    #       group/member: {move: member}",
            "    #       sameNameOtherMeaning: not_same",
        ]

    def _hub(self) -> list[str]:
        """The hub is the storage version; it is stated where it is not the newest one."""
        newest = self.versions[-1]
        if self.stored and self.stored != newest:
            return [f"    hub: {yaml_scalar(self.stored)}   # the version that the CRDs store"]
        return [f"    # hub: {yaml_scalar(newest)}   # the version to store; by default the newest"]


def order_versions(names: Iterable[str]) -> list[str]:
    """The names oldest first: GA after beta after alpha, then by numbers, as Kubernetes ranks them.

    Names of another form, which Kubernetes ranks last, come first, their numbers compared as
    numbers: for these the order is a guess.
    Source: Kubernetes, versions in CustomResourceDefinitions, version priority.
    """
    return sorted(names, key=_priority)


def _priority(name: str) -> tuple[int, int, int, list[tuple[int, str]], str]:
    match = _KUBERNETES.fullmatch(name)
    if match:
        major, stage, minor = match.groups()
        return 1 + _STAGES[stage], int(major), int(minor or 0), [], name
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    natural = [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
    return 0, 0, 0, natural, name


def package_of(text: str) -> str:
    """Return a Python name for a group."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text) or "group"
    return name if PACKAGE.fullmatch(name) else f"group_{name}"
