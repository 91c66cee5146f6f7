"""A hook that fails, for the tests of what becomes of an object that cannot be converted."""

from __future__ import annotations

from generated.post.v1.storage import AssignableLabelSpec, LabelSpec
from generated.post.v2.storage import LabelSpec as NewLabelSpec
from holdall import BagView, claims


class NoInvisibleInk(AssignableLabelSpec):
    """Refuses labels whose tint is `invisible`."""

    @claims(reads=["tint"], writes=[])
    def assign_properties_to(
        self, source: LabelSpec, destination: NewLabelSpec, bag: BagView
    ) -> None:
        if source.tint == "invisible":
            raise ValueError("nobody can read invisible ink")

    @claims(reads=[], writes=[])
    def assign_properties_from(
        self, source: NewLabelSpec, destination: LabelSpec, bag: BagView
    ) -> None:
        return
