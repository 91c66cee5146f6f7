"""Where tracked values belong, worked out when an object of a type comes for the first time."""

from __future__ import annotations

from threading import Thread
from typing import Any

from holdall.carriers.tracking.spots import Aliases, Spots
from tests.unit.twins import twin

Older = twin("v1", "Older", {"name": str, "size": int})
Newer = twin("v2", "Newer", {"name": str, "size": int})


def test_another_thread_never_sees_half_of_a_spot() -> None:
    """It would leave values in their bags, in a document of the API."""
    seen: list[int] = []
    others = iter([Thread(target=lambda: seen.append(len(spots.object(Older, Newer).members)))])
    started: list[Thread] = []

    def order(cls: Any) -> list[str]:
        for other in others:
            started.append(other)
            other.start()
            other.join(0.2)
        return ["name", "size"]

    spots = Spots(Aliases([]), order)
    assert len(spots.object(Older, Newer).members) == 2
    for other in started:
        other.join()
    assert seen == [2]
