"""The one place that knows dataclasses-json: field metadata, and its interface on our types.

dataclasses-json stays an interface (type identity, method names, metadata); values are read and
written by generated code, never by the library.
"""

# No postponed annotations here: hints are resolved with the globals of the module that defines
# them, and subclasses live in generated modules.

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict, cast, get_args, get_origin

from dataclasses_json import CatchAll, DataClassJsonMixin, Undefined, config

if TYPE_CHECKING:
    UnknownMembers = dict[str, Any]
else:
    UnknownMembers = CatchAll


class JsonConfig(TypedDict):
    """What dataclasses-json reads from a class: how unknown members are treated."""

    undefined: Undefined


KEEP_UNKNOWN: JsonConfig = {"undefined": Undefined.INCLUDE}


def is_none(value: object) -> bool:
    """Tell whether a value is None: the only value that is left out when writing."""
    return value is None


def member(
    name: str,
    *,
    exclude: Callable[[object], bool] | None = None,
    map_keys: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Return the field metadata of the member with the wire name `name`.

    `map_keys` are the members that identify an element of a list of type map.
    """
    metadata = cast("dict[str, Any]", config(field_name=name, exclude=exclude))
    metadata["holdall"] = {"name": name, "map_keys": map_keys}
    return metadata


def nested(shape: Any, *, name: str | None = None) -> dict[str, Any]:
    """Return the metadata for a field of your own class that holds generated types.

    `shape` is what the field holds beside None: `Port`, `list[Port]` or `dict[str, Port]`. The
    generated methods read and write the values, so that unknown members and nulls survive.
    """
    container, cls = get_origin(shape), (get_args(shape) or (shape,))[-1]

    def one(value: Any) -> Any:
        return None if value is None else cls.from_dict(value)

    def decode(value: Any) -> Any:
        if value is None:
            return None
        if container is list:
            return [one(item) for item in value]
        if container is dict:
            return {key: one(item) for key, item in value.items()}
        return one(value)

    def encode(value: Any) -> Any:
        if isinstance(value, list):
            return [encode(item) for item in value]
        if isinstance(value, dict):
            return {key: encode(item) for key, item in value.items()}
        return None if value is None else value.to_dict()

    return cast("dict[str, Any]", config(encoder=encode, decoder=decode, field_name=name))


def library_schema(cls: type, **options: Any) -> Any:
    """Return the marshmallow schema that dataclasses-json derives from a type."""
    return DataClassJsonMixin.schema.__func__(cls, **options)  # type: ignore[attr-defined]


def register_interface(cls: type) -> type:
    """Make `isinstance(x, DataClassJsonMixin)` true for a type without inheriting from it."""
    return DataClassJsonMixin.register(cls)
