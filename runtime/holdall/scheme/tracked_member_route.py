"""Routes of tracked groups on members."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from holdall.engine.member_ways import Way, relocated
from holdall.errors import ValueProblem
from holdall.objects.stored_forms import closed
from holdall.objects.views import StorageRoot
from holdall.scheme.tracked_route import TrackedRoute


class TrackedMemberRoute(TrackedRoute):
    """A tracked route whose twins are views of members."""

    @override
    def _converted(self, source: StorageRoot, cls: type[StorageRoot], upward: bool) -> StorageRoot:
        left: Any = source
        entered: Any = cls
        way = Way(thorough=True)
        members = closed(type(left), left.settled_())
        try:
            converted = type(left).crossings_[cls].convert(members, way)
        except ValueProblem as error:
            raise relocated(error, left, members, way) from error.__cause__
        found: StorageRoot = entered.view_(converted)
        return found
