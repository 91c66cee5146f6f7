"""The base of generated types: API types, and what storage twins share with them.

A generated class has only fields; reading and writing them is defined here, once.
"""

# No postponed annotations here: hints are resolved with the globals of the module that defines
# them, and subclasses live in generated modules.

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

from holdall.errors import DecodeError
from holdall.objects.codec import codec_of
from holdall.objects.shapes import Shaped, wrong_members
from holdall.text import json as _json

# Only for type checkers: generated subclasses add the slots.
_NO_SLOTS: tuple[str, ...] = ()


class Object(Shaped):
    """Base of every generated type: a dataclass that keeps what its schema does not know.

    Unknown members and explicit nulls are in `extra_`; an absent member is None.
    """

    __slots__ = _NO_SLOTS

    # dataclasses-json needs these two. `serialization`, which every API type imports, sets them.
    dataclass_json_config: ClassVar[Any]
    library_schema_: ClassVar[Callable[..., Any]]

    extra_: dict[str, Any]

    @classmethod
    def read_members(cls, members: Any) -> Self:
        """Build the object from its JSON members. Raises DecodeError without a path."""
        this: Self = codec_of(cls).read(members)
        return this

    def write_members(self) -> dict[str, Any]:
        """Return the JSON members of the object; values are shared with it.

        A union or a tuple may be a string or a list instead of an object.
        """
        members: dict[str, Any] = codec_of(type(self)).write(self)
        return members

    @classmethod
    def from_dict(cls, kvs: Mapping[str, Any], *, infer_missing: bool = False) -> Self:
        """Return the object that the JSON object `kvs` describes; `kvs` is not changed.

        Values are shared with `kvs`. `infer_missing` belongs to the interface and has no effect:
        an absent member stays absent. Raises DecodeError that names every wrong member.
        """
        try:
            return cls.read_members(kvs)
        except (DecodeError, TypeError, ValueError) as error:
            raise explain(cls, kvs, error) from error

    def to_dict(self, encode_json: bool = False) -> dict[str, Any]:
        """Return the object as JSON members; `encode_json` only belongs to the interface."""
        return self.write_members()

    @classmethod
    def from_json(cls, s: str | bytes, *, infer_missing: bool = False, **options: Any) -> Self:
        """Return the object in a JSON text. With options the standard library parses it."""
        if options:
            return cls.from_dict(_json.decode_with(s, options))
        return cls.from_dict(_json.decode(s))  # type: ignore[arg-type]

    def to_json(self, **options: Any) -> str:
        """Return the object as JSON text. With options the standard library writes it."""
        options.pop("encode_json", None)
        if options:
            return _json.encode_with(self.write_members(), options)
        return _json.encode(self.write_members()).decode()

    @classmethod
    def schema(cls, **options: Any) -> Any:
        """Return the type's marshmallow schema, for loading."""
        return cls.library_schema_(cls, **options)


def explain(cls: type[Object], document: Any, error: Exception) -> DecodeError:
    """Return the error that names every member of `document` that the type cannot read."""
    wrong = list(wrong_members(cls, document))
    if not wrong:
        return error if isinstance(error, DecodeError) else DecodeError(str(error))
    (path, message), *more = wrong
    text = "; ".join(f"{where or '/'}: {what}" for where, what in more)
    return DecodeError(f"{message}; also {text}" if more else message, path)
