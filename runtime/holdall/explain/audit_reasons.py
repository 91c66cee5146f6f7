"""Why an entry is in a bag: the plan's decision about the property in its version of origin."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from holdall.carriers.envelope import Carrier, Contents, plan_of
from holdall.carriers.pruning import is_hidden_extra
from holdall.errors import ConversionError
from holdall.explain.standing import Standing, Standings, fits
from holdall.objects.bag import RESIDUE_PREFIX, PropertyBag, is_taken, wrong_mark
from holdall.objects.shapes import Shaped, type_at, wrong_members
from holdall.plan import plans
from holdall.plan.per_package import per_package
from holdall.plan.plans import Decision, TypeRef
from holdall.scheme.entries import Kind
from holdall.scheme.scheme import Scheme
from holdall.types import JsonValue, is_json_object

UNKNOWN_ORIGIN: Final = "unknown origin"
UNKNOWN_PROPERTY: Final = "unknown property"
NO_OBJECT: Final = "there is no such object: a conversion drops the entry"
OLDER_PLAN: Final = "stored under an older plan"
_MISFIT: Final = "but this value does not fit the other version"
_NOT_WHOLE: Final = "the other version may not give this value back whole"


@dataclass(frozen=True, slots=True)
class PlanIndex:
    """The plan of a group, indexed by property."""

    standings: Standings
    package: str

    def why(
        self,
        holder: TypeRef | None,
        origin: str,
        key: str,
        value: JsonValue,
        is_residue: bool | None,
    ) -> str:
        """Return the reason for an entry in the bag of an object of the type `holder`."""
        plan = self.standings.plan
        if origin not in plan.versions:
            return UNKNOWN_ORIGIN
        if key.startswith(RESIDUE_PREFIX):
            return "kept by a hook: what does not come back by itself"
        if is_taken(key):
            return wrong_mark(key, value) or (
                "kept by holdall: user data under a reserved name, or a mark of its own"
            )
        for way in self.standings.ways(holder, origin) if holder is not None else ():
            standing = self.standings.standing(way, key)
            if standing is not None:
                why = self._explain(way[0], key, standing, value, is_residue)
                wrong = _misfit(self.package, way[0], key, value)
                return f"it cannot be used: {wrong}; {why}" if wrong else why
        return UNKNOWN_PROPERTY

    def _explain(
        self,
        own: TypeRef,
        key: str,
        standing: Standing,
        value: JsonValue,
        is_residue: bool | None,
    ) -> str:
        if not standing.decisions:
            # The object has the version of origin.
            return next(
                (f"stashed: {item.reason}" for item in self._alone(own, key)),
                f"{OLDER_PLAN}: {own} has {key} now",
            )
        decision = standing.decisions[-1 if standing.fate == "claimed" else 0]
        if standing.fate == "waits":
            # A property pulled in one direction is stashed in the other, which stored the entry.
            return f"stashed: {decision.reason}"
        text = f"{decision.fate}: {decision.reason}"
        if standing.fate == "claimed":
            return text
        plan = self.standings.plan
        if not fits(plan, value, plan.types[own][key]):
            return f"{text}; {_MISFIT}"
        if standing.may_be_kept if is_residue is None else is_residue:
            return f"{text}; {_NOT_WHOLE}"
        return f"{OLDER_PLAN}: {standing.at} has {standing.name} now"

    def _alone(self, ref: TypeRef, key: str) -> Iterator[Decision]:
        for edge in self.standings.plan.edges:
            if ref in (edge.older, edge.newer):
                for item in edge.decided(edge.side_of(ref)):
                    if item.name == key and item.fate in ("stashed", "pulled"):
                        yield item


class Told(NamedTuple):
    """An envelope's facts about the entries of one origin in one bag: there may be very many."""

    gone: frozenset[str]
    residues: frozenset[str]
    unseen: frozenset[str]
    plan: str

    @classmethod
    def by(cls, contents: Contents, path: str, origin: str) -> Told:
        """Return the facts about the bag at an address."""
        cargo = contents.cargo
        residues = cargo.residues.get(path, {}).get(origin, ())
        unseen = cargo.unseen.get(path, {}).get(origin, ())
        gone = PropertyBag({origin: cargo.bags[path][origin]}).gone(origin)
        return cls(gone, frozenset(residues), frozenset(unseen), plan_of(contents.plan))


@dataclass(frozen=True, slots=True)
class Reasons:
    """Explains the entries of one object; without a plan every reason is "".

    `kind`, `group` and `digest` (of the plan) are those that the carrier of an API document must
    have.
    """

    plan: PlanIndex | None = None
    version: str = ""
    root: type[Shaped] | None = field(default=None)
    kind: Kind | None = None
    group: str = ""
    digest: str = ""

    @classmethod
    def of_document(cls, document: object, scheme: Scheme | None) -> Reasons:
        """Return the reasons for a document. Raises SchemeError if the plan cannot be read."""
        if scheme is None:
            return cls()
        plan = _index(scheme.package)
        if is_json_object(document):
            try:
                names = scheme.names_of(document)
            except ConversionError:
                return cls(plan)
            for kind in scheme.kinds:
                for version in kind.types:
                    if names == (scheme.api_version(version, kind), kind.name_in(version)):
                        return cls._of_kind(scheme, kind, version)
        return cls(plan)

    @classmethod
    def _of_kind(cls, scheme: Scheme, kind: Kind, version: str) -> Reasons:
        plan, twin = _index(scheme.package), scheme.twin(kind.name, version)
        return cls(plan, version, twin, kind, scheme.group_of(kind), scheme.plan)

    @classmethod
    def of_type(cls, of: type[Shaped], scheme: Scheme | None) -> Reasons:
        """Return the reasons for a typed object; its scheme is that of its generated package."""
        scheme = scheme or _scheme_of(of.__module__)
        if scheme is None:
            return cls()
        for version in scheme.versions:
            module = f"{scheme.package}.{version.module}"
            for kind in scheme.kinds if of.__module__ == module else ():
                if kind.types.get(version.name) == of.__name__:
                    return cls._of_kind(scheme, kind, version.name)
            if of.__module__ in (module, f"{module}.storage"):
                return cls(_index(scheme.package), version.name, of)
        return cls(_index(scheme.package))

    def why_unread(self, carrier: Carrier, held: Contents | str) -> str:
        """Return why a conversion does not read a carrier; empty if it does.

        `held` are the contents of the carrier, or what is wrong with it.
        """
        if self.kind is not None and self.kind.carrier != carrier:
            return f"nothing reads it: the carrier of {self.kind.name} is {self.kind.carrier}"
        if isinstance(held, str):
            return f"the carrier cannot be read: {held}"
        if self.kind is not None and (held.group, held.kind) != (self.group, self.kind.name):
            of_group = f" of the group {held.group}" if held.group else ""
            return f"nothing reads it: it was written for {held.kind}{of_group}"
        return ""

    def why(
        self,
        path: str,
        origin: str,
        key: str,
        value: JsonValue,
        told: Told | None = None,
    ) -> str:
        """Return why the object at `path` (a pointer or a carrier's address) has an entry.

        `told` are the facts of its envelope, if there is one.
        """
        if self.plan is None:
            return wrong_mark(key, value)
        holder = type_at(self.root, path) if self.root is not None else None
        is_gone = told is not None and key in told.gone
        is_hidden = holder is not None and is_hidden_extra(holder, self.version, origin, key)
        if is_hidden and not is_gone:
            return f"extra: an API server would prune it at {origin}"
        if holder is None and self.root is not None and told is not None:
            return NO_OBJECT
        ref = TypeRef(self.version, holder.__name__) if holder is not None else None
        is_residue = None
        if told is not None and told.plan and key not in told.unseen:
            # What the current plan stored although it is shown is residue, marked or not.
            is_residue = key in told.residues or told.plan == self.digest
        return self.plan.why(ref, origin, key, value, is_residue)


def _misfit(package: str, ref: TypeRef, key: str, value: JsonValue) -> str:
    """Return what is wrong with a value of a property of a type."""
    scheme: Scheme = importlib.import_module(package).SCHEME
    module = next(item.module for item in scheme.versions if item.name == ref.version)
    storage = importlib.import_module(f"{package}.{module}.storage")
    wrong = next(wrong_members(getattr(storage, ref.name), {key: value}), None)
    return f"{wrong[0]}: {wrong[1]}" if wrong else ""


def _scheme_of(module: str) -> Scheme | None:
    while module:
        # The object may come from an earlier import of the package.
        with suppress(ImportError):
            found = getattr(importlib.import_module(module), "SCHEME", None)
            if isinstance(found, Scheme):
                return found
        module = module.rpartition(".")[0]
    return None


@per_package
def _index(package: str) -> PlanIndex:
    return PlanIndex(Standings(plans.load(package)), package)
