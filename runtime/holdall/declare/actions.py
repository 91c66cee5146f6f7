"""What happened to an item, and other words that are in its `Annotated`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from holdall.declare.calls import Call, Marker

FAIL: Final = Marker("FAIL")
"""Converting an object with this variant to a version without it is an error."""

nested: Final = Marker("nested")
"""The item holds declared containers. It is seen without this word; the word is checked."""

default_variant: Final = Marker("default_variant")
"""An added field of this union gets this variant."""


class added(Call):
    """The item is there from the version `since` on.

    Objects of older versions get `default()`, or `default_from(parent object)`. A variant says what
    happens to it in older versions: the variant `fallback`, or `downgrade_with(whole value)`.
    """

    def __init__(
        self,
        since: str,
        *,
        default: Callable[[], object] | str | None = None,
        default_from: Callable[[Any], object] | str | None = None,
        fallback: str | Marker | None = None,
        downgrade_with: Callable[[Any], object] | str | None = None,
    ) -> None:
        pass


class changed(Call):
    """The version `since` is the first in which the item no longer has what `from_...` says.

    A type may be given as text, for classes further below. Functions get and return the whole
    value; they may raise.
    """

    def __init__(
        self,
        since: str,
        *,
        from_name: str | None = None,
        from_json_name: str | None = None,
        from_type: object = None,
        from_docs: str | None = None,
        upgrade_with: Callable[[Any], object] | str | None = None,
        downgrade_with: Callable[[Any], object] | str | None = None,
    ) -> None:
        pass


class deprecated(Call):
    """The item is deprecated from the version `since` on.

    Its name starts with `deprecated_` (a variant's with `Deprecated`), which it had not before.
    """

    def __init__(self, since: str, *, note: str | None = None) -> None:
        pass


class removed(Call):
    """The item is gone from the version `since` on.

    Objects of newer versions get `default()` on their way back. A variant says what happens to it
    in newer versions: the variant `fallback`, or `upgrade_with(whole value)`.
    """

    def __init__(
        self,
        since: str,
        *,
        default: Callable[[], object] | str | None = None,
        fallback: str | Marker | None = None,
        upgrade_with: Callable[[Any], object] | str | None = None,
    ) -> None:
        pass


class name(Call):
    """The name of the item, where Python cannot have it: `tls: Annotated[Tls, name("Tls")]`."""

    def __init__(self, name: str) -> None:
        pass


class json_name(Call):
    """The JSON name of the item while it has its declared name."""

    def __init__(self, name: str) -> None:
        pass


class list_key(Call):
    """The fields that tell the elements of a list apart, by the names of the latest version."""

    def __init__(self, *names: str) -> None:
        pass


class Doc(Call):
    """The documentation of the item, instead of a string below it."""

    def __init__(self, text: str) -> None:
        pass


class hint(Call):
    """The outermost wrapper of the item. It is seen without this word; the word is checked."""

    def __init__(self, wrapper: Literal["option", "list", "map"]) -> None:
        pass
