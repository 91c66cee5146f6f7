"""What a trip to another version and back once changed, each by one object."""

from __future__ import annotations

from typing import Any

import pytest

from generated.people import SCHEME


def api(version: str, kind: str, **members: Any) -> dict[str, Any]:
    return {"apiVersion": f"people.example.com/{version}", "kind": kind, **members}


@pytest.mark.parametrize(
    ("document", "far"),
    [
        # The default of displayName is made of fullName, which is null on the way back, too.
        (api("v1alpha1", "Person", spec={"name": None}), "v1"),
        (api("v1", "Person", spec={"fullName": None, "displayName": ""}), "v1alpha1"),
        # Bare names that only the other version declares.
        (api("v1alpha1", "Person", spec={"contract": "freelance"}), "v1beta1"),
        (api("v1beta1", "Person", spec={"contract": "deprecatedTrainee"}), "v1"),
        (api("v1", "Person", spec={"contract": "seasonal"}), "v1beta1"),
        (api("v1", "Person", spec={"contract": "trainee"}), "v1alpha1"),
        (api("v1", "Person", spec={"contract": {"lent": None}}), "v1alpha1"),
        # Members of the user under names that stored forms reserve.
        (api("v1alpha1", "Person", spec={"$originalVersion": 1, "$created": {}}), "v1"),
        (api("v1", "Person", spec={"$propertyBag": {}, "$value": [1]}), "v1alpha1"),
        # The same in objects of a list that the other version does not have.
        (api("v1beta1", "Team", spec={"rooms": [{"$originalVersion": False}]}), "v1alpha1"),
        (
            api("v1beta1", "Team", spec={"rooms": [{"place": "12", "$propertyBag": 5}]}),
            "v1alpha1",
        ),
        # A status of which the other version can say nothing.
        (api("v1", "Team", spec={"lead": "a"}, status={"absent": 3}), "v1alpha1"),
        (api("v1alpha1", "Team", status={"$created": {}}), "v1beta1"),
    ],
)
def test_nothing_is_lost_on_the_way_back(document: dict[str, Any], far: str) -> None:
    """It comes back as it was."""
    version = str(document["apiVersion"]).rpartition("/")[2]
    there = SCHEME.convert(document, to=far)
    assert SCHEME.convert(there, to=version) == document


def test_a_default_that_is_made_again_leaves_no_entry() -> None:
    """It is made of the parent with its nulls, as it will be on the next way up."""
    document = api("v1alpha1", "Person", spec={"name": None})
    there = SCHEME.convert(document, to="v1")
    back = SCHEME.convert(there, to="v1alpha1")
    assert "status" not in back
    assert back["spec"] == {"name": None}
