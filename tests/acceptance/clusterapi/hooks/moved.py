"""Members that stand in another place in the newer version, many of them in another form."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from holdall import Members, TwoWay
from hooks.forms import NAMESPACE, REFERENCE, SAME, SECONDS, TEMPLATE, VERSIONS, Form
from hooks.paths import Path, pruned, put, taken

Way = tuple[Path, Path, Form]
Step = tuple[Way, list[Path], list[Path]]


class Moved(TwoWay):
    """Members by their older path, with their newer path and, if it changes, their form.

    What becomes `…Seconds` is a duration. Of an object, what has no place of its own moves with it.
    Objects that hold nothing do not move, nor do empty texts to the older version (R-STRUCTPTR,
    R-STRPTR), unless `empty_texts`. Members in `always` are in the newer version anyway.
    """

    def __init__(
        self,
        places: Mapping[str, str | tuple[str, Form]],
        *,
        always: Mapping[str, Any] | None = None,
        empty_texts: bool = False,
    ) -> None:
        rules = [(older, *_rule(older, newer)) for older, newer in places.items()]
        ways = [(older.split("/"), newer.split("/"), form) for older, newer, form in rules]
        self._up = _steps(ways)
        self._down = _steps([(newer, older, form) for older, newer, form in ways])
        self._always = [(path.split("/"), value) for path, value in (always or {}).items()]
        self._nothing = {} if empty_texts else ""
        self.older = _tops(older for older, _, _ in ways)
        self.newer = _tops([*(path for path, _ in self._always), *(newer for _, newer, _ in ways)])
        is_known = any(form[:2] in (REFERENCE[:2], TEMPLATE[:2]) for _, _, form in ways)
        self.given = (NAMESPACE, VERSIONS) if is_known else ()

    def to_newer(self, older: Members) -> Members:
        made: Members = {}
        for target, form, value in _apart(older, self._up, {}):
            if value is not None:
                put(made, target, form.to_newer(value, older))
        for path, value in self._always:
            put(made, path, value)
        return made

    def to_older(self, newer: Members) -> Members:
        made: Members = {}
        for target, form, value in _apart(newer, self._down, self._nothing):
            if value is not None or form.always:
                put(made, target, form.to_older(value, newer))
        return made


def _steps(ways: list[Way]) -> list[Step]:
    """Return each way, the innermost first, with the paths in its value of what is not its own:
    unknown members in the places of others, and what has a place of its own."""
    sources, targets = [way[0] for way in ways], [way[1] for way in ways]
    ordered = sorted(ways, key=lambda way: -len(way[0]))
    return [(way, _below(targets, way[1]), _below(sources, way[0])) for way in ordered]


def _below(paths: list[Path], path: Path) -> list[Path]:
    return [one[len(path) :] for one in paths if one[: len(path)] == path != one]


def _apart(given: Members, steps: list[Step], nothing: Any) -> Iterator[tuple[Path, Form, Any]]:
    """Yield where values go; objects lose what is not their own."""
    for (source, target, form), strangers, apart in steps:
        value = taken(given, source)
        for path in strangers if isinstance(value, dict) else ():
            taken(value, path)
        if not form.whole:
            value = pruned(value, nothing)
        elif isinstance(value, dict):
            emptied = {one[0] for one in apart if pruned(value.get(one[0]), nothing) is None}
            value = {name: item for name, item in value.items() if name not in emptied}
        yield target, form, value


def _rule(older: str, newer: str | tuple[str, Form]) -> tuple[str, Form]:
    if isinstance(newer, tuple):
        return newer
    return newer, SECONDS if newer.endswith("Seconds") and not older.endswith("Seconds") else SAME


def _tops(paths: Iterable[Path]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path[0] for path in paths))
