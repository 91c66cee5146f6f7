"""What messages say about objects of strangers."""

from __future__ import annotations

from holdall.review.messages import describe_subject


def test_names_fake_no_lines() -> None:
    """Nor do they clear a terminal, or write from right to left."""
    name = "a\x1b[2J\r\nb\u202ec\u2028\u200b"
    assert describe_subject(("e.com/v1", "Thing", {"name": name})) == "e.com/v1 Thing a?[2J?b?c?"
