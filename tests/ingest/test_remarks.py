"""What a few respondents wrote is kept apart, and is in no table."""

from __future__ import annotations

import pandas as pd
import pytest

import audiencelab as al

ROWS = 300


def opened(name: str, texts: list[str]) -> al.Client:
    column = [*texts, *[None] * (ROWS - len(texts))]
    return al.open(pd.DataFrame({"g": ["a", "b"] * (ROWS // 2), name: column}), quiet=True)


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("kommentar", [f"Im Jahr {n} hat mein Chef mich angeschrien" for n in range(13)]),
        ("remarks", ["I moved to the city last year", "My dog is ill, sadly"]),
        ("other_brand", ["Alma", "Brot", "Corso", "Dora", "Elan", "Fina", "Gusto", "Hola"]),
        ("感想", ["この製品はとても使いやすいと思いますし、毎日使っていますよ。"] * 2),
    ],
)
def test_what_a_few_wrote_is_no_question(name: str, texts: list[str]) -> None:
    client = opened(name, [*texts, "It was fine, all in all, thank you"])
    assert [text.name for text in client.texts] == [name]
    assert [each.code for each in client.catalogue] == ["g", "location"]
    kept = client.respondents(text=[name])[name].dropna()
    assert kept.tolist() == [*texts, "It was fine, all in all, thank you"]


@pytest.mark.parametrize(
    "texts", [["Yes", "No"], ["Very good"] * 9 + ["Not so good"] * 4, ["red", "blue", "red"]]
)
def test_answers_of_few_respondents_are_a_question(texts: list[str]) -> None:
    client = opened("routed", texts)
    assert "routed" in [each.code for each in client.catalogue]


@pytest.mark.parametrize("name", ["имя", "名前", "Ansprechpartner", "العنوان"])
def test_names_and_addresses_in_other_alphabets_are_not_kept(name: str) -> None:
    client = opened(name, [f"Person {n} of Street {n}" for n in range(200)])
    assert [text.name for text in client.texts] == []
