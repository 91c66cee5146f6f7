"""The only module that knows dataclasses-json: field metadata, and its interface on our types.

dataclasses-json is only an interface (type identity, method names, metadata): it is
`holdall.objects.codec` that reads and writes values. API types import this module, but converters
do not, so a server that does not use API types does not load the library.
"""

# No postponed annotations here: hints are resolved with the globals of the module that defines
# them, and subclasses live in generated modules.

from functools import partial
from types import UnionType
from typing import TYPE_CHECKING, Any, Union, cast, get_args, get_origin

from dataclasses_json import CatchAll, DataClassJsonMixin, Undefined, config
from dataclasses_json.mm import TYPES

from holdall.errors import DecodeError
from holdall.objects.base import Object
from holdall.objects.shapes import foreign_heads, shape_of
from holdall.text.pointer import join
from holdall.types import json_kind

if TYPE_CHECKING:
    UnknownMembers = dict[str, Any]
else:
    UnknownMembers = CatchAll


def _is_none(value: object) -> bool:
    return value is None


def member(
    name: str,
    *,
    required: bool = False,
    map_keys: tuple[str, ...] = (),
    alone: str = "",
    says: str | float | tuple[str | float, ...] | None = None,
) -> dict[str, Any]:
    """Return the field metadata of the member with the wire name `name`.

    Members that are not `required` are not written if they are None. `map_keys` are the members
    that identify an element of a list of type map, which the member is or contains. A value with
    nothing but the member `alone` is not read: it stays in `extra_`. If a member `says` the version
    of documents, a document with another value has another version; it may say several.
    """
    exclude = None if required else _is_none
    metadata = cast("dict[str, Any]", config(field_name=name, exclude=exclude))
    metadata["holdall"] = {
        "name": name,
        "map_keys": map_keys,
        "required": required,
        "alone": alone,
        "says": says if isinstance(says, tuple) or says is None else (says,),
    }
    return metadata


def api_version_member() -> dict[str, Any]:
    """Return the field metadata of an apiVersion with a literal type.

    In schemas it is a string, because the library would warn of an unknown type.
    """
    metadata = member("apiVersion", required=True)
    metadata["dataclasses_json"]["mm_field"] = TYPES[str]()
    return metadata


def nested(shape: Any, *, name: str | None = None) -> dict[str, Any]:
    """Return the metadata for a field of your own class with generated types.

    `shape` is the type of the field: `Port`, `list[Port]` or `dict[str, Port]`, to any depth, with
    or without `| None`. `Port` also reads lists of objects; a map needs its explicit form, because
    a JSON object could be either. The types' own methods read and write the values, so unknown
    members and nulls survive. A value of the wrong kind is a DecodeError with a path.
    """

    def decode(value: Any) -> Any:
        return _read_nested(shape, value, "")

    def encode(value: Any) -> Any:
        if isinstance(value, list):
            return [encode(item) for item in value]
        if isinstance(value, dict):
            return {key: encode(item) for key, item in value.items()}
        return None if value is None else value.to_dict()

    return cast("dict[str, Any]", config(encoder=encode, decoder=decode, field_name=name))


def _read_nested(shape: Any, value: Any, path: str) -> Any:
    if value is None:
        return None
    container = get_origin(shape)
    if container in (Union, UnionType):
        shape = next(item for item in get_args(shape) if item is not type(None))
        container = get_origin(shape)
    if container is dict:
        if type(value) is not dict:
            raise DecodeError(f"expected object, found {json_kind(value)}", path)
        item = get_args(shape)[1]
        return {key: _read_nested(item, each, join(path, key)) for key, each in value.items()}
    if container is list or type(value) is list:
        if type(value) is not list:
            raise DecodeError(f"expected list, found {json_kind(value)}", path)
        item = get_args(shape)[0] if container is list else shape
        return [_read_nested(item, each, join(path, key)) for key, each in enumerate(value)]
    try:
        return shape.from_dict(value)
    except DecodeError as error:
        raise DecodeError(error.message, path + error.path) from error


def _library_schema(cls: type, **options: Any) -> Any:
    """Return the marshmallow schema that dataclasses-json derives from a type.

    It refuses documents of other versions and kinds, as reading does.
    """
    schema = DataClassJsonMixin.schema.__func__(cls, **options)  # type: ignore[attr-defined]
    for name, member in shape_of(cls).members.items():
        if member.said:
            field = schema.fields[member.attribute]
            field.validators.append(partial(_check_head, cls, name, field))
    return schema


def _check_head(cls: type, name: str, field: Any, value: Any) -> None:
    for _, message in foreign_heads(cls, {name: value}):
        field.error_messages["validator_failed"] = message
        raise field.make_error("validator_failed")


# `isinstance(x, DataClassJsonMixin)` is true for our types, which do not inherit from it.
DataClassJsonMixin.register(Object)
Object.dataclass_json_config = {"undefined": Undefined.INCLUDE}
Object.library_schema_ = staticmethod(_library_schema)
