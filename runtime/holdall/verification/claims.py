"""The claims of a hook, compared with the properties of its edge."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import BAG_PREFIX, EXTRA_PREFIX, Claims
from holdall.errors import Problem
from holdall.objects.bag import RESIDUE_PREFIX, is_taken
from holdall.suggest import closest, did_you_mean, fold
from holdall.verification.mistakes import mistake
from holdall.verification.protocols import NAMES, WAYS, Way

VERBS = {"reads": "read", "writes": "write"}
PREFIXES = (BAG_PREFIX, EXTRA_PREFIX)


@dataclass(frozen=True, slots=True)
class DeclaredClaims:
    """The claims of one direction; `place` returns where a name is in `reads` or `writes`."""

    way: Way
    claims: Claims
    place: Callable[[str, str], str]

    def given(self, keyword: str) -> tuple[str, ...]:
        return self.claims.reads if keyword == "reads" else self.claims.writes

    def keys(self, keyword: str) -> list[str]:
        """Return the bag keys."""
        names = self.given(keyword)
        return [n.removeprefix(BAG_PREFIX) for n in names if n.startswith(BAG_PREFIX)]


def check_claims(
    hook: str, point: HookPoint, written: Mapping[Way, DeclaredClaims]
) -> Iterator[Problem]:
    """Yield what is wrong with the claims; a direction without any is not compared."""
    for claims in written.values():
        for keyword in VERBS:
            yield from check_names(hook, point, claims, keyword)
        yield from check_duty(hook, point, claims)
        yield from check_taken_keys(hook, point, claims)
    if len(written) == len(WAYS):
        yield from check_keys(hook, written["to"], written["from"])
        yield from check_keys(hook, written["from"], written["to"])


def check_names(
    hook: str, point: HookPoint, claims: DeclaredClaims, keyword: str
) -> Iterator[Problem]:
    """Yield what is wrong with the names that one direction `reads` or `writes`."""
    at_older = (claims.way == "to") == (keyword == "reads")
    own, other = point.older_members, point.newer_members
    type_, version = point.older_type, point.older_version
    if not at_older:
        own, other = other, own
        type_, version = point.newer_type, point.newer_version
    seen: set[str] = set()
    for name in claims.given(keyword):
        parts = {
            "hook": hook,
            "method": NAMES[claims.way],
            "verb": keyword,
            "name": name,
            "type": type_,
            "version": version,
        }
        where = partial(claims.place, keyword, name)
        prefix, colon, key = name.rpartition(":")
        if name in seen:
            yield mistake("HA345", where(), **parts)
        elif name.startswith(EXTRA_PREFIX) and name.removeprefix(EXTRA_PREFIX) in own:
            fix = f'claim "{name.removeprefix(EXTRA_PREFIX)}" without the prefix'
            yield mistake("HA343", where(), fix=fix, **parts)
        elif not name.strip() or name in PREFIXES:
            fix = "name a property, `extra:<name>` or `bag:<key>`"
            yield mistake("HA347", where(), fix=fix, nearest="", **parts)
        elif name not in own and not name.startswith(PREFIXES):
            meant = closest(prefix, ("bag", "extra")) if colon else ""
            if meant:
                nearest = did_you_mean(f"{meant}:{key}")
                fix = "the prefixes are `extra:` and `bag:`"
                yield mistake("HA347", where(), fix=fix, nearest=nearest, **parts)
            else:
                nearest = did_you_mean(closest(name, own))
                yield mistake(
                    "HA342", where(), fix=_fix_for(name, keyword, other), nearest=nearest, **parts
                )
        seen.add(name)


def _fix_for(name: str, keyword: str, other: frozenset[str]) -> str:
    side = "source" if keyword == "reads" else "destination"
    if name in other:
        opposite = "writes" if keyword == "reads" else "reads"
        return f"`{keyword}` names properties of the {side}; move it to `{opposite}`"
    return (
        f'name a property of the {side} by its wire name, or write "{EXTRA_PREFIX}{name}"'
        " for a member that its type does not declare"
    )


def check_duty(
    hook: str,
    point: HookPoint,
    claims: DeclaredClaims,
    meant: Collection[tuple[str, str]] = (),
    how: Callable[[str, str], str] = 'add "{1}" to `{0}` and handle it'.format,
) -> Iterator[Problem]:
    """Yield what one direction must claim but does not; `how` gives the fix.

    Skips names that misspelt ones in `reads` or `writes` are `meant` to be: those are reported.
    """
    left, entered = point.must_claim_older, point.must_claim_newer
    if claims.way == "from":
        left, entered = entered, left
    for keyword, wanted in (("reads", left), ("writes", entered)):
        claimed = {*claims.given(keyword)}
        for name in sorted(wanted - claimed - {name for of, name in meant if of == keyword}):
            yield mistake(
                "HA346",
                claims.place(keyword, ""),
                fix=how(keyword, name),
                hook=hook,
                method=NAMES[claims.way],
                duty=VERBS[keyword],
                name=name,
            )


def check_taken_keys(hook: str, point: HookPoint, claims: DeclaredClaims) -> Iterator[Problem]:
    """Yield the keys that generated code also uses, or that values of a skip link cannot keep."""
    older = claims.way == "to"
    members = point.older_members if older else point.newer_members
    free = point.must_claim_older if older else point.must_claim_newer
    for key in claims.keys("writes"):
        is_residue = key.startswith(RESIDUE_PREFIX)
        named = f"{BAG_PREFIX}{key}"
        where = claims.place("writes", named)
        parts = {"hook": hook, "method": NAMES[claims.way], "key": named}
        if key in members - free or (is_taken(key) and not is_residue):
            fix = f'choose another key, such as "{BAG_PREFIX}{key.lstrip("$")}AsWritten"'
            yield mistake("HA351", where, fix=fix, **parts)
        elif point.is_of_link and not is_residue:
            yield mistake("HA355", where, **parts)


def check_keys(hook: str, claims: DeclaredClaims, back: DeclaredClaims) -> Iterator[Problem]:
    """Compare the keys that one direction keeps in or takes from the bag with the other one's."""
    for keyword, opposite in (("writes", "reads"), ("reads", "writes")):
        there = back.keys(opposite)
        for key in claims.keys(keyword):
            if not key or key in there:
                continue
            same = (k for k in sorted(there) if fold(k) == fold(key))
            near = next(same, "") or closest(key, there, 0.75)
            yield mistake(
                "HA344",
                claims.place(keyword, f"{BAG_PREFIX}{key}"),
                fix=f'add "{BAG_PREFIX}{key}" to `{opposite}` of {NAMES[back.way]}, or remove'
                " the key",
                hook=hook,
                method=NAMES[claims.way],
                verb=keyword,
                name=f"{BAG_PREFIX}{key}",
                other=NAMES[back.way],
                duty=VERBS[opposite],
                nearest=did_you_mean(f"{BAG_PREFIX}{near}" if near else ""),
            )
