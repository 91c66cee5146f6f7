"""All rules of the gate in one table, with what each costs a user and the fix; and its findings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

from holdall.errors import Problem, problem_value
from holdall.types import JsonValue
from holdall.words import counted

Level = Literal["wire", "validation", "conversion", "stored"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: where it hurts, what it costs, and the fix."""

    name: str
    level: Level
    cost: str
    fix: str


_NEW_VERSION: Final = "make the change in a new version, and keep this one as it is"
_SETTLE: Final = "`holdall diff REF` says what to run; settle it first: `holdall migrate --apply`"

_TABLE: Final[Mapping[Level, Mapping[str, tuple[str, str]]]] = {
    # What clients send and receive.
    "wire": {
        "kind-removed": (
            "clients get 404 for every object of it",
            "deprecate all its versions first, and remove it when nobody uses it",
        ),
        "version-removed": (
            "clients of this version get 404",
            "deprecate it, stop serving it in a later release, and remove it last",
        ),
        "version-unserved": (
            "clients of this version get 404",
            "deprecate it for a release first, with a warning that names the version to use; after "
            "that, list it under `breaking: ignore`",
        ),
        "scope-changed": (
            "the path of every object changes, and an API server refuses the change",
            "make a new kind",
        ),
        "name-changed": (
            "paths, commands and permissions that use the name find nothing",
            "keep the name; names can be added as short names",
        ),
        "subresource-removed": (
            "controllers that write the status, and autoscalers, get 404",
            _NEW_VERSION,
        ),
        "selectable-removed": ("requests with this field selector are refused", _NEW_VERSION),
        "property-removed": (
            "what clients write is removed or refused, and what they read is missing",
            f"mark it deprecated and keep it; or {_NEW_VERSION}",
        ),
        "type-changed": (
            "typed clients cannot decode it, and stored values do not fit",
            f"add a property of the new type; or {_NEW_VERSION}",
        ),
        "list-type-changed": (
            "server-side apply merges differently, and owners lose or share elements and members",
            _NEW_VERSION,
        ),
        "list-keys-changed": (
            "elements have other keys: apply merges different ones, and lists may be refused",
            _NEW_VERSION,
        ),
        "members-closed": (
            "undeclared members were kept, and are now removed or refused",
            "declare the members that are in use first",
        ),
        "default-changed": (
            "objects without it now mean something else, stored ones included",
            f"keep the default; or {_NEW_VERSION}",
        ),
        "not-additive": (
            "a stable version returns what its clients have never seen",
            f"{_NEW_VERSION}; or announce that clients must expect it",
        ),
    },
    # What is refused.
    "validation": {
        "required-added": (
            "objects without it are refused, stored ones at their next write",
            "leave it optional, or give it a default",
        ),
        "enum-narrowed": (
            "objects with other values are refused, stored ones at their next write",
            f"keep the values and mark them deprecated; or {_NEW_VERSION}",
        ),
        "range-narrowed": ("numbers that were allowed are refused", _NEW_VERSION),
        "length-narrowed": ("texts, lists or maps that were allowed are refused", _NEW_VERSION),
        "pattern-changed": ("texts that were allowed may be refused", _NEW_VERSION),
        "format-changed": (
            "values that were allowed may be refused, and typed clients read another type",
            _NEW_VERSION,
        ),
        "nullable-removed": ("objects with null are refused", "leave it nullable"),
        "rule-added": (
            "objects that break the rule are refused, stored ones at their next write",
            "apply the rule to changed values only (`oldSelf`); or " + _NEW_VERSION,
        ),
        "schema-changed": (
            "objects that were allowed may be refused",
            f"check whether it only allows more; if not, {_NEW_VERSION}",
        ),
    },
    # What happens to objects between versions.
    "conversion": {
        "declaration-changed": (
            "objects of one version look different at the other one",
            "undo it; or, if it corrects a mistake, list it under `breaking: ignore`",
        ),
        "route-changed": (
            "objects take a way through other versions; what these cannot hold is kept elsewhere",
            "keep the edges between versions that are released",
        ),
        "hook-changed": (
            "objects of one version may look different at the other one",
            "try both on your own objects; `holdall laws --against REF` shows what is lost",
        ),
        "hook-removed": (
            "what the hook showed at the other version is missing, and what it kept is not read",
            "declare in holdall.yaml what the hook did, and compare both",
        ),
        "function-changed": (
            "objects of one version may look different at the other one",
            "try both functions on values that are in use",
        ),
        "conversion-dropped": (
            "objects are served as they are stored, without what the version does not declare",
            "keep the webhook for as long as there are several versions",
        ),
    },
    # What is in the store.
    "stored": {
        "storage-changed": (
            "objects are stored in two versions, and the previous release cannot read the new ones",
            "serve the version for a release first; then `holdall migrate --apply`",
        ),
        "stored-version-dropped": (
            "objects that are stored at this version can no longer be read",
            "run `holdall migrate --apply` until status.storedVersions does not list it; then "
            "remove it",
        ),
        "head-changed": (
            "stored documents are refused, or taken for those of another version",
            "let documents of released versions say what they said, and add a version",
        ),
        "carrier-changed": (
            "stored bags are not read, or do not hold what they held",
            "follow `Before a carrier changes` in docs/schema-changes.md",
        ),
        "stored-lost": ("it is lost, or nothing reads it", _SETTLE),
        "stored-changed": ("it may be read as something else, or dropped and reported", _SETTLE),
    },
}
"""By level and name: what breaking the rule costs users, and the fix."""

RULES: Final[Mapping[str, Rule]] = {
    name: Rule(name, level, cost, fix)
    for level, rules in _TABLE.items()
    for name, (cost, fix) in rules.items()
}


# --- findings -------------------------------------------------------------------------------------


_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One breaking change.

    `version` is the version that changed, or a pair such as `v1 -> v2`; `path` is the place below
    the kind, such as `spec/pools/*/size`, and `others` are more places of the same schema. `where`
    is `file:line[:column]` in the newer state.
    """

    name: str
    kind: str
    version: str
    path: str
    what: str
    where: str
    others: tuple[str, ...] = ()

    @property
    def places(self) -> tuple[str, ...]:
        return self.path, *self.others

    def at(self, places: Sequence[str]) -> Finding:
        """Return the finding of some of its places."""
        return replace(self, path=places[0], others=tuple(places[1:]))

    @property
    def rule(self) -> Rule:
        return RULES[self.name]

    @property
    def subject(self) -> str:
        """What changed: kind, version and path, as far as there are any."""
        return " ".join(part for part in (self.kind, self.version, self.path) if part)

    @property
    def order(self) -> tuple[int, str, str, str, str]:
        """The place in reports: levels in their order, then by what changed."""
        level = LEVELS.index(self.rule.level)
        return level, self.kind, self.version, self.path, self.name

    def problem(self) -> Problem:
        """Return it as a problem, whose code is the name of the rule."""
        message = f"{self.subject}{_more(self.others)}: {self.what}; {self.rule.cost}"
        return Problem(self.name, self.where, message, self.rule.fix)

    def value(self) -> dict[str, JsonValue]:
        """Return it as JSON."""
        place = problem_value(self.problem())
        return {
            "rule": self.name,
            "level": self.rule.level,
            "kind": self.kind,
            "version": self.version,
            "path": self.path,
            "others": list(self.others),
            "what": self.what,
            "reason": self.rule.cost,
            "fix": self.rule.fix,
            **{key: place[key] for key in ("where", "file", "line", "column") if key in place},
        }


def _more(places: tuple[str, ...]) -> str:
    if not places:
        return ""
    shown = places if len(places) <= _SHOWN else (*places[:_SHOWN], "…")
    more = counted(len(places), "more place")
    return f" and {more} ({', '.join(shown)})"
