"""holdall: versioned resources, converted without losing anything.

Generated code and hooks import this package as `h`; users start from a generated `SCHEME`.
"""

from typing import TYPE_CHECKING, Any, Self

from typing_extensions import deprecated, override

from holdall.bag import PropertyBag
from holdall.codec import (
    copy_json,
    copy_list,
    copy_map,
    json_list,
    json_object,
    list_reader,
    map_list,
    map_map,
    map_reader,
    over_list,
    over_map,
    read_each,
    read_rest,
    read_values,
    stored,
    unread_members,
    write_bag,
    write_each,
    write_nested,
    write_values,
)
from holdall.conversions import (
    PLAIN,
    EachForm,
    ObjectForm,
    chain,
    each,
    flipped,
    kinds,
    opened,
    recurse,
    reference,
    renamed_values,
    same,
    through,
    values,
    wrap,
)
from holdall.edges import (
    converted_from,
    converted_to,
    each_from,
    each_to,
    values_from,
    values_to,
)
from holdall.errors import (
    BagError,
    ConversionError,
    DecodeError,
    HoldallError,
    HookError,
    HookFailure,
    InternalError,
    MisfitError,
    PlanError,
    Problem,
    SchemeError,
    SourceError,
    UnknownKindError,
)
from holdall.hooks import (
    BagView,
    Claims,
    Composed,
    SharedHook,
    claims,
    is_null,
    set_absent,
    set_null,
)
from holdall.moves import Move, MovePath, Moves
from holdall.objects import (
    Lifted,
    MissingMember,
    Object,
    StorageObject,
    StorageRoot,
    WrongKind,
    new,
)
from holdall.pairs import Pair
from holdall.scheme import Kind, Scheme, Version
from holdall.serialization import (
    KEEP_UNKNOWN,
    JsonConfig,
    UnknownMembers,
    bag_member,
    is_none,
    member,
    nested,
    version_member,
)
from holdall.two_way import EachValue, Members, TwoWay
from holdall.types import JsonObject, JsonValue
from holdall.version import VERSION as __version__

if TYPE_CHECKING:
    from holdall.auditing import Finding, audit

__all__ = [
    "KEEP_UNKNOWN",
    "PLAIN",
    "BagError",
    "BagView",
    "Claims",
    "Composed",
    "ConversionError",
    "DecodeError",
    "EachForm",
    "EachValue",
    "Finding",
    "HoldallError",
    "HookError",
    "HookFailure",
    "InternalError",
    "JsonConfig",
    "JsonObject",
    "JsonValue",
    "Kind",
    "Lifted",
    "Members",
    "MisfitError",
    "MissingMember",
    "Move",
    "MovePath",
    "Moves",
    "Object",
    "ObjectForm",
    "Pair",
    "PlanError",
    "Problem",
    "PropertyBag",
    "Scheme",
    "SchemeError",
    "Self",
    "SharedHook",
    "SourceError",
    "StorageObject",
    "StorageRoot",
    "TwoWay",
    "UnknownKindError",
    "UnknownMembers",
    "Version",
    "WrongKind",
    "__version__",
    "audit",
    "bag_member",
    "chain",
    "claims",
    "converted_from",
    "converted_to",
    "copy_json",
    "copy_list",
    "copy_map",
    "deprecated",
    "each",
    "each_from",
    "each_to",
    "flipped",
    "is_none",
    "is_null",
    "json_list",
    "json_object",
    "kinds",
    "list_reader",
    "map_list",
    "map_map",
    "map_reader",
    "member",
    "nested",
    "new",
    "opened",
    "over_list",
    "over_map",
    "override",
    "read_each",
    "read_rest",
    "read_values",
    "recurse",
    "reference",
    "renamed_values",
    "same",
    "set_absent",
    "set_null",
    "stored",
    "through",
    "unread_members",
    "values",
    "values_from",
    "values_to",
    "version_member",
    "wrap",
    "write_bag",
    "write_each",
    "write_nested",
    "write_values",
]


def __getattr__(name: str) -> Any:
    # Audits are no part of converting: their modules are imported when they are asked for.
    if name in ("Finding", "audit"):
        from holdall import auditing

        return getattr(auditing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
