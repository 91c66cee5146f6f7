"""The results of the laws on a few drawn objects, as the page shows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from holdall.testing.laws.cases import LAWS
from holdall.testing.laws.equipment import Tools
from holdall.testing.laws.reporting import explain
from holdall.testing.laws.running import Outcome, cells_of, check_kind
from holdall.testing.laws.subjects import Subject
from holdall.types import JsonObject, JsonValue

# L6 compares processes, L11 needs many objects: both take longer than a page should.
_CHECKED: Final = [law for law in LAWS if law not in ("L6", "L11")]


def laws_value(subjects: Sequence[Subject], examples: int, seed: int) -> JsonObject:
    """Check the laws on `examples` objects for each kind and version; return what was found.

    `rows` have a line for each kind and pair of versions: the laws that were checked there, and
    those that were broken. `broken` explains the first finding of each kind and law.
    """
    outcome = Outcome()
    for subject in subjects:
        tools = Tools.of(subject)
        for kind in subject.kinds():
            for start in subject.versions(kind):
                # Without the fixed cases, which take their time on wide types.
                seeds = range(seed, seed + examples)
                outcome.merge(check_kind(tools, kind, start, seeds, fixed="none"))
    rows: dict[tuple[str, str, str], list[JsonValue]] = defaultdict(list)
    failed: dict[tuple[str, str, str], list[JsonValue]] = defaultdict(list)
    first: dict[tuple[str, str], JsonValue] = {}
    for cell in cells_of(subjects, (), _CHECKED, None):
        law, kind, start, end = cell
        rows[kind, start, end].append(law)
        finding = outcome.findings.get(cell)
        if finding is None:
            continue
        failed[kind, start, end].append(law)
        if (kind, law) not in first:
            subject = next(item for item in subjects if kind in item.kinds())
            first[kind, law] = explain(Tools.of(subject), finding).to_json()
    return {
        "texts": {law: LAWS[law] for law in _CHECKED},
        "objects": outcome.objects,
        "seed": seed,
        "rows": [
            {
                "kind": kind,
                "from": start,
                "to": end,
                "checked": checked,
                "broken": failed[kind, start, end],
            }
            for (kind, start, end), checked in rows.items()
        ],
        "broken": [*first.values()],
    }
