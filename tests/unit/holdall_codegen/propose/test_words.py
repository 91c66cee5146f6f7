"""Likeness of names and descriptions: words, opposites, and what says little."""

from __future__ import annotations

import random
from difflib import SequenceMatcher
from functools import partial

import pytest

from holdall_codegen.propose.words import Forms, Names, Texts, are_opposites, same_word, words
from tests.support.commands import python
from tests.support.work import steps_of

NAMES = Names(["v1beta1", "v2"])


def test_names_are_words() -> None:
    """Case and joints are no part of a name; some words are also written as one."""
    assert words("tlsBootstrapSeconds") == ("tls", "bootstrap", "seconds")
    assert words("lastTimestamp") == words("last_time_stamp")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("zone", "zones"),
        ("policy", "policies"),
        ("delete", "deletion"),
        ("enable", "enabled"),
        ("execution", "excecution"),
    ],
)
def test_forms_of_a_word(one: str, other: str) -> None:
    """Plurals, endings and slips of the pen make no other word."""
    assert same_word(one, other)
    assert same_word(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("name", "namespace"),
        ("time", "timeout"),
        ("secret", "service"),
        ("enabled", "disabled"),
        ("available", "unavailable"),
    ],
)
def test_other_words(one: str, other: str) -> None:
    """What only begins alike is another word, and what says the opposite even more so."""
    assert not same_word(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("availableReplicas", "unavailableReplicas"),
        ("minSize", "maxSize"),
        ("allowedHosts", "deniedHosts"),
        ("ready", "notReady"),
        ("startTime", "endTime"),
    ],
)
def test_opposites_are_never_alike(one: str, other: str) -> None:
    """One word that turns the meaning round is enough."""
    assert are_opposites(one, other)
    assert are_opposites(other, one)
    assert NAMES.likeness((one,), (other,)) == 0


def test_words_that_are_unlike_are_told_apart_at_once() -> None:
    """All words of two versions are compared, and most have hardly a letter in common."""
    for one, other in (("replicas", "template"), ("authentication", "authorship")):
        whole = steps_of(SequenceMatcher(None, one, other).ratio)
        assert steps_of(partial(same_word, one, other)) < whole


@pytest.mark.parametrize("seed", range(5))
def test_all_forms_of_a_word_are_found(seed: int) -> None:
    """By parts of the words: none is missed that a comparison with each word finds."""
    draw = random.Random(seed)
    some = ["".join(draw.choices("abc", k=draw.randint(1, 24))) for _ in range(40)]
    for word in [*some]:  # endings, and up to two slips
        letters = [*word]
        for _ in range(draw.randint(0, 2)):
            letters[draw.randrange(len(letters))] = draw.choice(["", "a", "bc", "x"])
        some.append("".join(letters) + draw.choice(["", "", "s", "ies", "e"]))
    forms = Forms(some)
    for word in some:
        assert {*forms.of(word)} == {other for other in some if same_word(word, other)}


@pytest.mark.parametrize(
    ("older", "right", "wrong"),
    [
        ("rolloutAfter", "rollout/after", "rollout/strategy"),
        ("nodeTimeout", "limits/nodeTimeoutSeconds", "limits/discoverySeconds"),
        ("className", "classRef/name", "poolRef/name"),
        ("metadata", "deprecatedV1Beta1Metadata", "metadataPolicyLabels"),
        ("owner", "ownerName", "name"),
    ],
)
def test_the_path_says_what_the_name_said(older: str, right: str, wrong: str) -> None:
    """Words may move into the names of objects; units, versions and common words weigh little."""
    likeness = [NAMES.likeness((older,), tuple(path.split("/"))) for path in (right, wrong)]
    assert likeness[0] > 0.75
    assert likeness[0] > likeness[1]


def test_common_words_alone_prove_little() -> None:
    """Everything has a name: an equal one counts in objects that are alike, too."""
    apart = NAMES.likeness(("provider", "name"), ("storage", "name"))
    assert apart < NAMES.likeness(("provider", "name"), ("providers", "name")) < 1
    assert NAMES.likeness(("provider", "hostIp"), ("storage", "hostIp")) == 1


def test_descriptions_are_compared_by_their_rare_words() -> None:
    """What all texts say tells none apart, and no text says nothing."""
    one = "the size of the pool in nodes"
    texts = Texts([one, "the colour of the pool", "the shade of the pool"])
    assert texts.likeness(one, one) == pytest.approx(1)
    assert (texts.likeness("the size in nodes", one) or 0) > 0.6
    assert (texts.likeness("the shade of the pool", one) or 0) < 0.3
    assert texts.likeness("", one) is None


ALIKE = """
from holdall_codegen.propose.words import Texts

rows = (
    "alpha beta gamma delta",
    "beta gamma zeta theta",
    "gamma delta kappa lambda alpha",
    "name size zone limit rate alpha",
)
texts = Texts(rows)
print([texts.likeness(one, other) for one in rows for other in rows])
"""


def test_likeness_is_the_same_in_every_process() -> None:
    """Proposals are in the order of their scores, so the last digit counts, too."""
    printed = {python("-c", ALIKE, PYTHONHASHSEED=seed).stdout for seed in "0134"}
    assert "" not in printed
    assert len(printed) == 1
