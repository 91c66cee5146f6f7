"""Claims read from the text of `@claims(...)`, and compared with the properties of the edge."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from holdall.engine.hook_points import HookPoint
from holdall.engine.hooks import BAG_PREFIX, EXTRA_PREFIX, Claims
from holdall.errors import Problem
from holdall.objects.bag import RESIDUE_PREFIX, is_taken
from holdall.verification.mistakes import contrast, mistake
from holdall.verification.names import closest, did_you_mean, fold
from holdall.verification.protocols import NAMES, WAYS, Way

_VERBS = {"reads": "read", "writes": "write"}
_PREFIXES = (BAG_PREFIX, EXTRA_PREFIX)


@dataclass(slots=True)
class WrittenClaims:
    """The claims of one method as they stand in the text: names with their lines, by keyword."""

    way: Way
    line: int
    reads: list[tuple[str, int]] = field(default_factory=list)
    writes: list[tuple[str, int]] = field(default_factory=list)

    def given(self, keyword: str) -> list[tuple[str, int]]:
        return self.reads if keyword == "reads" else self.writes

    def keys(self, keyword: str) -> dict[str, int]:
        """Return the bag keys with their lines."""
        names = self.given(keyword)
        return {n.removeprefix(BAG_PREFIX): line for n, line in names if n.startswith(BAG_PREFIX)}

    def claims(self) -> Claims:
        return Claims(tuple(n for n, _ in self.reads), tuple(n for n, _ in self.writes))


def read_claims(
    hook: str, way: Way, file: str, calls: list[ast.expr], defined: int
) -> WrittenClaims | list[Problem]:
    """Read the `@claims` decorators of a method, or return why they cannot be read."""
    method = NAMES[way]
    if not calls:
        return [
            mistake(
                "HA340",
                f"{file}:{defined}",
                fix="put `@claims(reads=[...], writes=[...])` above it, with wire names",
                hook=hook,
                method=method,
            )
        ]
    claims = WrittenClaims(way, calls[0].lineno)
    reasons = list(_read_call(calls[0], claims))
    if len(calls) > 1:
        reasons.append(("@claims stands above it more than once", calls[1].lineno))
    problems = [
        mistake(
            "HA341",
            f"{file}:{line}",
            fix="write the names as literal strings in lists, so that they are read without"
            " running the hook",
            detail=contrast("@claims(reads=NAMES)", '@claims(reads=["name"])'),
            hook=hook,
            method=method,
            reason=reason,
        )
        for reason, line in reasons
    ]
    return problems or claims


def _read_call(call: ast.expr, claims: WrittenClaims) -> Iterator[tuple[str, int]]:
    if not isinstance(call, ast.Call):
        yield "@claims is not called", call.lineno
        return
    if call.args:
        yield "positional arguments are given; `reads` and `writes` are keywords", call.lineno
    for keyword in call.keywords:
        line = keyword.value.lineno
        if keyword.arg not in _VERBS:
            near = closest(keyword.arg or "", _VERBS)
            yield f"`{keyword.arg or '**'}` is neither reads nor writes{did_you_mean(near)}", line
        elif not isinstance(keyword.value, ast.List | ast.Tuple):
            yield f"`{keyword.arg}` is no list of strings in the text", line
        else:
            for item in keyword.value.elts:
                if isinstance(item, ast.Constant) and isinstance(item.value, str):
                    claims.given(keyword.arg).append((item.value, item.lineno))
                else:
                    reason = f"`{ast.unparse(item)}` in `{keyword.arg}` is no literal string"
                    yield reason, item.lineno


def check_claims(
    hook: str, file: str, point: HookPoint, written: Mapping[Way, WrittenClaims]
) -> Iterator[Problem]:
    """Yield what is wrong with the claims; a direction that could not be read is not compared."""
    for claims in written.values():
        for keyword in _VERBS:
            yield from _check_names(hook, file, point, claims, keyword)
        yield from _check_duty(hook, file, point, claims)
        yield from _check_taken_keys(hook, file, point, claims)
    if len(written) == len(WAYS):
        yield from _check_keys(hook, file, written["to"], written["from"])
        yield from _check_keys(hook, file, written["from"], written["to"])


def check_composed(
    hook: str, file: str, line: int, point: HookPoint, ways: Mapping[Way, Sequence[Claims]]
) -> Iterator[Problem]:
    """Yield what is wrong with the claims of all parts of a composed hook together."""
    written: dict[Way, WrittenClaims] = {}
    for way, parts in ways.items():
        written[way] = merged = WrittenClaims(way, line)
        reads = [name for part in parts for name in part.reads]
        writes = [name for part in parts for name in part.writes]
        merged.reads = [(name, line) for name in dict.fromkeys(reads)]
        merged.writes = [(name, line) for name in dict.fromkeys(writes)]
        for name in dict.fromkeys(name for name in writes if writes.count(name) > 1):
            yield mistake(
                "HA349",
                f"{file}:{line}",
                fix="let one part write it, or make one part of the two",
                hook=hook,
                method=NAMES[way],
                name=name,
            )
    yield from check_claims(hook, file, point, written)


def _check_names(
    hook: str, file: str, point: HookPoint, claims: WrittenClaims, keyword: str
) -> Iterator[Problem]:
    at_older = (claims.way == "to") == (keyword == "reads")
    own, other = point.older_members, point.newer_members
    type_, version = point.older_type, point.older_version
    if not at_older:
        own, other = other, own
        type_, version = point.newer_type, point.newer_version
    seen: set[str] = set()
    for name, line in claims.given(keyword):
        where = f"{file}:{line}"
        parts = {
            "hook": hook,
            "method": NAMES[claims.way],
            "verb": keyword,
            "name": name,
            "type": type_,
            "version": version,
        }
        prefix, colon, key = name.rpartition(":")
        if name in seen:
            yield mistake("HA345", where, fix="claim it once", **parts)
        elif name.startswith(EXTRA_PREFIX) and name.removeprefix(EXTRA_PREFIX) in own:
            fix = f'claim "{name.removeprefix(EXTRA_PREFIX)}" without the prefix'
            yield mistake("HA343", where, fix=fix, **parts)
        elif not name.strip() or name in _PREFIXES:
            fix = "name a property, `extra:<name>` or `bag:<key>`"
            yield mistake("HA347", where, fix=fix, nearest="", **parts)
        elif name not in own and not name.startswith(_PREFIXES):
            meant = closest(prefix, ("bag", "extra")) if colon else ""
            if meant:
                nearest = did_you_mean(f"{meant}:{key}")
                fix = "the prefixes are `extra:` and `bag:`"
                yield mistake("HA347", where, fix=fix, nearest=nearest, **parts)
            else:
                nearest = did_you_mean(closest(name, own))
                yield mistake(
                    "HA342", where, fix=_mend(name, keyword, other), nearest=nearest, **parts
                )
        seen.add(name)


def _mend(name: str, keyword: str, other: frozenset[str]) -> str:
    side = "source" if keyword == "reads" else "destination"
    if name in other:
        opposite = "writes" if keyword == "reads" else "reads"
        return f"`{keyword}` names properties of the {side}; move it to `{opposite}`"
    return (
        f'name a property of the {side} by its wire name, or write "{EXTRA_PREFIX}{name}"'
        " for a member that its type does not declare"
    )


def _check_duty(hook: str, file: str, point: HookPoint, claims: WrittenClaims) -> Iterator[Problem]:
    left, entered = point.must_claim_older, point.must_claim_newer
    if claims.way == "from":
        left, entered = entered, left
    for keyword, wanted in (("reads", left), ("writes", entered)):
        claimed = {name for name, _ in claims.given(keyword)}
        for name in sorted(wanted - claimed):
            yield mistake(
                "HA346",
                f"{file}:{claims.line}",
                fix=f'add "{name}" to `{keyword}` and handle it',
                hook=hook,
                method=NAMES[claims.way],
                duty=_VERBS[keyword],
                name=name,
            )


def _check_taken_keys(
    hook: str, file: str, point: HookPoint, claims: WrittenClaims
) -> Iterator[Problem]:
    """Yield the keys that a hook would share with what generated code stashes and pulls."""
    older = claims.way == "to"
    members = point.older_members if older else point.newer_members
    free = point.must_claim_older if older else point.must_claim_newer
    for key, line in claims.keys("writes").items():
        is_own = is_taken(key) and not key.startswith(RESIDUE_PREFIX)
        if key in members - free or is_own:
            yield mistake(
                "HA351",
                f"{file}:{line}",
                fix=f'choose another key, such as "{BAG_PREFIX}{key.lstrip("$")}AsWritten"',
                hook=hook,
                method=NAMES[claims.way],
                key=f"{BAG_PREFIX}{key}",
            )


def _check_keys(
    hook: str, file: str, claims: WrittenClaims, back: WrittenClaims
) -> Iterator[Problem]:
    """Compare what is kept in and taken from the bag with what the way back does."""
    for keyword, opposite in (("writes", "reads"), ("reads", "writes")):
        there = back.keys(opposite)
        for key, line in claims.keys(keyword).items():
            if not key or key in there:
                continue
            yield mistake(
                "HA344",
                f"{file}:{line}",
                fix=f'add "{BAG_PREFIX}{key}" to `{opposite}` of {NAMES[back.way]}, or claim no'
                " such key",
                hook=hook,
                method=NAMES[claims.way],
                verb=keyword,
                name=f"{BAG_PREFIX}{key}",
                other=NAMES[back.way],
                duty=_VERBS[opposite],
                nearest=_near_key(key, there),
            )


def _near_key(key: str, there: Mapping[str, int]) -> str:
    near = next((k for k in sorted(there) if fold(k) == fold(key)), "") or closest(key, there, 0.75)
    return did_you_mean(f"{BAG_PREFIX}{near}" if near else "")
