"""Faults as one message: each at its place, and no more of them than anybody reads."""

from __future__ import annotations

from audiencelab.errors import Fault, list_faults


def test_many_faults_are_listed_as_far_as_they_are_read_and_the_rest_is_counted() -> None:
    faults = [Fault(f"/rows/{place}", "is wrong") for place in range(12)]
    headline, *told, rest = list_faults("Not so.", faults).splitlines()
    assert headline == "Not so."
    assert told == [f"  {fault}" for fault in faults[:10]]
    assert rest == "  … and 2 more"
    assert len(list_faults("Not so.", faults[:10]).splitlines()) == 11
