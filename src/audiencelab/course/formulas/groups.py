"""Groups of respondents that several lessons use."""

from __future__ import annotations

from audiencelab.course.reference import given

MEN, WOMEN = given("q2", "q2_1"), given("q2", "q2_2")
YOUNG, OLD = given("q4", "q4_2"), given("q4", "q4_7")
AGES = tuple(given("q4", f"q4_{number}") for number in range(1, 8))
BY_VIDEO = given("shop.b5", "b5_11")
CLOTHES = given("shop.b1", "b1_2")
