"""Hypothesis strategies for objects of a scheme, for property tests of your own."""

from __future__ import annotations

from functools import cache
from typing import Final

from hypothesis import strategies as st

from holdall.plan import plans
from holdall.scheme.scheme import Scheme
from holdall.testing.laws.choices import Choices
from holdall.testing.laws.documents import Documents
from holdall.testing.laws.texts import with_texts
from holdall.types import JsonObject

_NOTHING: Final = st.none()


@cache
def _below(count: int) -> st.SearchStrategy[int]:
    # To make one, or to ask Hypothesis for the one it made, takes longer than to draw.
    return st.integers(0, count - 1)


class Drawn(Choices):
    """Choices that Hypothesis makes; smaller answers are simpler."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        draw(_NOTHING)  # Hypothesis insists on a draw, even where there is nothing to choose.

    def below(self, count: int) -> int:
        return self._draw(_below(count)) if count > 1 else 0


def api_objects(scheme: Scheme, kind: str, version: str) -> st.SearchStrategy[JsonObject]:
    """Return API objects of a kind in a version: partial ones, with nulls and unknown members."""
    documents = Documents(plans.load(scheme.package), scheme)

    def draw_object(draw: st.DrawFn) -> JsonObject:
        choices = Drawn(draw)
        drawn = documents.draft(choices, kind, version).api
        return with_texts(choices, documents, scheme, drawn)

    return st.composite(draw_object)()
