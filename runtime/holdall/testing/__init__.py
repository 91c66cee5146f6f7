"""Helpers for tests of projects that use holdall; the assertions need no test framework."""

from holdall.testing.bags import assert_bags, assert_no_residue

__all__ = ["assert_bags", "assert_no_residue"]
