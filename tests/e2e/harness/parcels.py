"""One parcel in the words of each version, written by hand."""

from __future__ import annotations

import copy
from typing import Any, Final

VERSIONS: Final = ("v1alpha1", "v1", "v2")

_OLD_STOPS: Final = [{"name": "mill", "minutes": 5}, {"name": "pond", "minutes": 0}]

_RICH: Final[dict[str, Any]] = {
    "v2": {
        "grams": 500,
        "addressee": "Ada",
        "extra": "no",
        "insurance": {"insurer": "Acme & <Sons>", "amount": 1.5},
        "handling": ["dry", "upright"],
        "stops": [
            {"name": "mill", "minutes": 5, "door": "left"},
            {"name": "pond", "minutes": 0, "door": "back"},
        ],
    },
    "v1": {
        "weight": 500,
        "addressee": "Ada",
        "handling": "dry,upright",
        "stops": _OLD_STOPS,
    },
    "v1alpha1": {
        "weight": 500,
        "addressee": "Ada",
        "handling": "dry,upright",
        "stops": _OLD_STOPS,
    },
}

STATUS: Final[dict[str, dict[str, Any]]] = {
    "v2": {"phase": "Waiting", "detail": "no stamps"},
    "v1": {"phase": "Waiting"},
    "v1alpha1": {"phase": "Waiting"},
}


def spec(version: str, written_at: str = "v2") -> dict[str, Any]:
    """Return the spec of the parcel as a version shows it, if it was written at another.

    Written at v2 it has what only v2 knows; written at v1alpha1, what only that knows.
    """
    if written_at == "v2":
        return copy.deepcopy(_RICH[version])
    known = _RICH["v1"].keys() if version != "v2" else {"grams", "addressee", "handling", "stops"}
    found = {name: value for name, value in copy.deepcopy(_RICH[version]).items() if name in known}
    for stop in found["stops"]:
        stop.pop("door", None)
    if version == written_at == "v1alpha1":
        found["counter"] = 0
    return found
