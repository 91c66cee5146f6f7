"""propose: what could be declared, with reasons; nothing here decides."""

from holdall_codegen.propose.model import Proposal
from holdall_codegen.propose.search import propose

__all__ = ["Proposal", "propose"]
