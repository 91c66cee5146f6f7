"""A declared kind with all its versions, and their enum.

Source: docs/declared.md, "Classes".
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Self, Unpack, overload

from holdall.errors import UnknownApiVersion
from holdall.objects.base import Object
from holdall.scheme.scheme import ConvertOptions, Scheme, Typed
from holdall.suggest import nearest
from holdall.types import JsonObject


class KindVersion(StrEnum):
    """Base of the version enums of declared kinds; the members are the versions, oldest first."""

    @classmethod
    def group(cls) -> str:
        """Return the part of apiVersion before the slash."""
        raise NotImplementedError(cls)

    def as_version_str(self) -> str:
        """Return the version alone, such as `v1alpha1`."""
        return self.value

    def as_api_version_str(self) -> str:
        """Return the apiVersion, such as `example.com/v1alpha1`."""
        return f"{self.group()}/{self.value}"

    @classmethod
    def from_api_version(cls, text: str) -> Self:
        """Return the version of an apiVersion. Raises UnknownApiVersion."""
        known = {member.as_api_version_str(): member for member in cls}
        if text not in known:
            raise UnknownApiVersion(f'unknown API version "{text}"{nearest(text, known)}')
        return known[text]


class DeclaredKind:
    """Base of the classes of declared kinds; they have no instances."""

    SCHEME: ClassVar[Scheme]
    NAME: ClassVar[str]
    Version: ClassVar[type[KindVersion]]


class Converts(DeclaredKind):
    """A kind whose whole objects are converted."""

    @overload
    @classmethod
    def convert(
        cls, obj: Object, version: KindVersion, **options: Unpack[ConvertOptions]
    ) -> Object: ...

    @overload
    @classmethod
    def convert(
        cls,
        obj: Object | Mapping[str, Any],
        version: type[Typed],
        **options: Unpack[ConvertOptions],
    ) -> Typed: ...

    @overload
    @classmethod
    def convert(
        cls, obj: Mapping[str, Any], version: KindVersion, **options: Unpack[ConvertOptions]
    ) -> JsonObject: ...

    @classmethod
    def convert(
        cls, obj: Any, version: KindVersion | type[Object], **options: Unpack[ConvertOptions]
    ) -> Object | JsonObject:
        """Return an object in another version: typed or JSON like `obj`, or of a class.

        `report`, `tolerant` and the errors are those of `Scheme.convert`.
        """
        to: Any = version
        made: Object | JsonObject = cls.SCHEME.convert(obj, to=to, **options)
        return made
