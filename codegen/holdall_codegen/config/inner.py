"""The inner documents of a group, as the configuration states them."""

from __future__ import annotations

from holdall.inner.declared import InnerDocuments
from holdall_codegen.config.graph import VersionOrder
from holdall_codegen.config.keys import InnerKeys
from holdall_codegen.config.model import InnerConfig
from holdall_codegen.config.names import split_path
from holdall_codegen.config.node import CONTRADICTION, MISSING_KEY, NO_EFFECT, Node
from holdall_codegen.config.tables import read


def read_inner(node: Node, order: VersionOrder) -> tuple[InnerConfig, ...]:
    """The entries in the order of the file; whether they fit the schemas is not asked here."""
    return tuple(_read(item, order) for item in node.items("inner_documents"))


def _read(node: Node, order: VersionOrder) -> InnerConfig:
    what = "an entry of inner_documents"
    said, at = read(InnerKeys, node, what, order)
    if "annotation" in at and "path" in at:
        text = f"{what} has both annotation and path"
        at["path"].report(CONTRADICTION, text, "make two entries of it")
    elif at and "annotation" not in at and "path" not in at:
        text = f"{what} has neither annotation nor path"
        node.report(MISSING_KEY, text, "say where the text is")
    holders = tuple(said.in_ or ())
    if "versions" in at:
        for name, child in at["versions"].members("versions").items():
            order.listed(child, name, "versions")
        if holders and all("/" in holder for holder in holders):
            text = "versions are those of holders, and none of these is a kind of the group"
            at["versions"].report(NO_EFFECT, text, "remove it")
    if said.annotation:
        path: tuple[str, ...] = ("metadata", "annotations", said.annotation)
    else:
        path = split_path(said.path) if said.path else ()
    return InnerConfig(
        InnerDocuments(
            holders,
            path,
            said.format,
            said.versions or {},
            said.folded,
            tuple(said.aliases or ()),
        ),
        node.location,
    )
