"""What generated storage modules use; they import this module as `h`."""

from holdall.engine.computed import FAIL, computed, constant, scalar, variants
from holdall.engine.conversions import (
    chain,
    each,
    flipped,
    kinds,
    opened,
    renamed_values,
    same,
    wrap,
)
from holdall.engine.conversions import values as values
from holdall.engine.defaults import Defaulted
from holdall.engine.functions import function
from holdall.engine.hooks import BagView
from holdall.engine.lossy_pairs import Pair
from holdall.engine.member_moves import Moves
from holdall.engine.member_ways import Way
from holdall.engine.members import (
    BAG,
    Members,
    Steps,
    assign,
    begin,
    complete,
    convert,
    convert_deep,
    convert_each,
    convert_values,
    end,
    finish,
    keep,
    open_tuple,
    open_union,
    pull,
    pull_linked,
    put,
    require_hook,
    start,
    stash,
    take,
)
from holdall.engine.moves import Move, MovePath
from holdall.engine.object_values import ObjectForm, recurse, reference, through
from holdall.engine.unions import UnionEdge
from holdall.objects.bag import ORIGINAL_VERSION_MEMBER as ORIGINAL_VERSION
from holdall.objects.bag_forms import PLAIN, EachForm
from holdall.objects.views import (
    Member,
    RecordedVersion,
    StorageObject,
    StorageRoot,
    StorageTuple,
    StorageUnion,
)
from holdall.objects.wire_forms import close_tuple, close_union
from holdall.scheme.registry import edge

__all__ = [
    "BAG",
    "FAIL",
    "ORIGINAL_VERSION",
    "PLAIN",
    "BagView",
    "Defaulted",
    "EachForm",
    "Member",
    "Members",
    "Move",
    "MovePath",
    "Moves",
    "ObjectForm",
    "Pair",
    "RecordedVersion",
    "Steps",
    "StorageObject",
    "StorageRoot",
    "StorageTuple",
    "StorageUnion",
    "UnionEdge",
    "Way",
    "assign",
    "begin",
    "chain",
    "close_tuple",
    "close_union",
    "complete",
    "computed",
    "constant",
    "convert",
    "convert_deep",
    "convert_each",
    "convert_values",
    "each",
    "edge",
    "end",
    "finish",
    "flipped",
    "function",
    "keep",
    "kinds",
    "open_tuple",
    "open_union",
    "opened",
    "pull",
    "pull_linked",
    "put",
    "recurse",
    "reference",
    "renamed_values",
    "require_hook",
    "same",
    "scalar",
    "start",
    "stash",
    "take",
    "through",
    "values",
    "variants",
    "wrap",
]
