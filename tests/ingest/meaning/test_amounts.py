"""Numbers inside the texts of answers, in twelve languages."""

from __future__ import annotations

import pytest

from audiencelab.ingest.meaning.amounts import amount_of, amounts_of


@pytest.mark.parametrize(
    "rising",
    [
        ("$0", "Less than $25,000", "$25,000 to $49,999", "$100,000 to $149,999", "$150,000+"),
        ("Fewer than 10 employees", "10 to 19 employees", "1,000 to 4,999 employees",
         "10,000 or more employees"),
        ("Under 5 ft.", "5'2\"", "5'10\"", "5'11\"", "6'3\" and above"),
        ("5%", "10%", "100%"),
        ("Under 18", "18–24", "25 - 34", "65 and over"),
        ("<$25K", "$25k-$50k", "$50K–$100K", ">$100K"),
        ("No children", "1 child", "2 children", "3+ children"),
        ("One", "Two", "Three or more"),
        ("Less than 30 minutes", "30 minutes to 1 hour", "1 to 2 hours", "More than 2 hours"),
        ("Up to 30 minutes", "30 minutes to 1 hour", "1 to 6 hours", "6+ hours"),
        ("no more than 5", "6 to 10", "not less than 11"),
        ("-10 to -5", "-5 to 0", "0 to 5"),
        ("unter 1.000 €", "1.000 bis 2.000 €", "2.000 bis unter 3.000 €", "3.000 € und mehr"),
        ("jünger als 18", "18 - 29 Jahre", "30 Jahre und älter"),
        ("moins de 5 000 €", "5 000", "10 000", "100 000 et plus"),
        ("moins de 20", "de 20 à 49", "50 et plus"),
        ("menos de 18 años", "de 18 a 24 años", "65 años y más"),
        ("16 a 24 años", "25 a 64 años", "65 y más años"),
        ("meno di 18 anni", "18-24 anni", "oltre 65 anni"),
        ("até 2 salários", "de 2 a 5 salários", "mais de 5 salários"),
        ("minder dan 10", "10 tot 20", "20 of meer"),
        ("under 18 år", "18-29 år", "30 år eller äldre"),
        ("poniżej 18 lat", "18-24 lata", "65 lat i więcej"),
        ("20歳未満", "20〜29歳", "30歳以上"),
        ("300万円未満", "300万円以上500万円未満", "500万円以上"),
        ("20岁以下", "20-29岁", "30岁及以上"),
        ("20세 미만", "20~29세", "30세 이상"),
    ],
)  # fmt: skip
def test_texts_are_ordered_by_their_numbers(rising: tuple[str, ...]) -> None:
    found = amounts_of(rising[::-1])
    assert found is not None, [amount_of(each) for each in rising]
    assert [*found.ranks] == [*range(len(rising))][::-1]
    assert found.is_quantity


@pytest.mark.parametrize(
    "labels",
    [
        ("1-2 times a week", "1-2 times a month", "3 times a day"),
        ("7-Eleven", "Channel 4", "Studio 54"),
        ("Q1 2023", "Q2 2023", "Q1 2024"),
        ("0_0", "0_1", "1_0"),
        ("Once", "Twice", "More often"),
        ("North", "South"),
        ("10 to 5", "1 to 2"),
        ("18 to 24", "18-24", "25 to 34"),
        ("I bought 2 of them because I had read about it in a newspaper that costs 3 euros", "1"),
    ],
)
def test_numbers_of_unlike_things_are_not_amounts(labels: tuple[str, ...]) -> None:
    assert amounts_of(labels) is None


def test_numbers_in_names_order_and_measure_nothing() -> None:
    found = amounts_of(["Brand 10", "Brand 2", "Brand 1"])
    assert found is not None
    assert (found.ranks, found.scores, found.is_quantity) == ((2, 1, 0), {}, False)


def test_closed_bands_of_one_unit_have_middles() -> None:
    found = amounts_of(["Under 18", "18 to 24", "1,5", "3 000", "65+"])
    assert found is not None
    assert found.scores == {1: 21, 2: 1.5, 3: 3000}
    mixed = amounts_of(["10 to 30 minutes", "1 to 2 hours"])
    assert mixed is not None
    assert mixed.scores == {}, "minutes and hours have no common number"
    mostly_open = amounts_of(["Under 30", "30 to 59", "60 and over"])
    assert mostly_open is not None
    assert mostly_open.scores == {}, "one number of three is not a mean"
