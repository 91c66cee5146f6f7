"""Values that some types cannot tell from absence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from holdall.objects.bag import BAG_MEMBER
from holdall.objects.bag_forms import Form
from holdall.objects.shapes import shape_of


def is_zero(form: Form, value: Any) -> bool:
    """Tell whether a value is one that some types cannot tell from absence."""
    cls = getattr(form, "cls", None)
    return not value if cls is None or type(value) is not dict else _holds_nothing(cls, value)


def _holds_nothing(cls: type, members: Mapping[str, Any]) -> bool:
    """Tell whether an object has nothing but nulls, empty texts and objects like that.

    A zero, `false`, an empty list or a map in it is something that was said.
    """
    declared = shape_of(cls).members
    for name, value in members.items():
        member = declared.get(name)
        inner = None if member is None else member.value.type
        if type(value) is dict and inner is not None:
            if not _holds_nothing(inner, value):
                return False
        elif name != BAG_MEMBER and value is not None and value != "":
            return False
    return True
