"""What a project declares about inner documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

TextFormat: TypeAlias = Literal["yaml-stream", "json"]


@dataclass(frozen=True, slots=True)
class InnerDocuments:
    """One place where holders have documents of the group as text.

    `holders` are kinds of the group, or `apiVersion/Kind` of objects that belong to nobody here.
    `path` are wire names from the holder. `versions` is which version the documents have in a
    version of their holder, where it is not that of the same name. In a `folded` document the
    members of `spec` and the name are at the top. `aliases` are further names of the API group.
    """

    holders: tuple[str, ...]
    path: tuple[str, ...]
    format: TextFormat
    versions: Mapping[str, str] = field(default_factory=dict)
    folded: bool = False
    aliases: tuple[str, ...] = ()

    def version_in(self, version: str) -> str:
        """Return the version that the documents have in a version of their holder."""
        return self.versions.get(version, version)
