"""propose: what could be declared, with the reasons for it; nothing here decides anything."""

from holdall_codegen.propose.model import Proposal
from holdall_codegen.propose.search import propose

__all__ = ["Proposal", "propose"]
