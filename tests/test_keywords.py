"""Arguments by name: in signatures, by words of other programs, and refused with a hint."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import audiencelab as al
from audiencelab.client.operations.charts import Charts
from audiencelab.tables import TabBook


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as client:
        yield client


@pytest.mark.parametrize(
    ("method", "name", "default", "kind"),
    [
        (al.Client.crosstab, "base_audience", None, "BaseLike | None"),
        (al.Client.crosstab, "progress", None, "Progress"),
        (al.AsyncClient.crosstab, "waves", None, "WavesLike"),
        (al.CrosstabResult.test, "levels", (0.95, 0.9), "float | Sequence[float]"),
        (al.CrosstabResult.standouts, "min_base", 30, "float"),
        (TabBook.to_excel, "correction", "none", "Correction"),
        (al.CrosstabResult.to_markdown, "letters", False, "ComparisonData | bool"),
        (al.connect, "retries", ..., "int | UnsetType"),
        (al.open, "quiet", False, "bool"),
    ],
)
def test_signatures_show_every_argument_with_its_type_and_default(
    method: Callable[..., Any], name: str, default: object, kind: str
) -> None:
    shown = inspect.signature(method).parameters
    assert not [each for each in shown.values() if each.kind is each.VAR_KEYWORD]
    assert shown[name].annotation == kind
    assert default in (..., shown[name].default)


def test_an_argument_whose_none_is_a_value_is_unset() -> None:
    crosstab, create = (inspect.signature(m).parameters for m in (al.Client.stats, Charts.create))
    assert repr(crosstab["weight"].default) == repr(create["color"].default) == "UNSET"


REFUSED: list[tuple[Callable[[al.Client], Any], str]] = [
    (lambda c: c.crosstab("Gender", "Age", base_audeince=1), "'base_audience'?"),
    (lambda c: c.crosstab("Gender", zzz=1), "crosstab takes no argument 'zzz'. It takes rows, co"),
    (lambda c: c.crosstab("Gender", weights="w", weight=None), "'weights' and 'weight', which"),
    (lambda c: c.crosstab("Gender", col="Age", cols="Age"), "'cols' and 'columns', which mean the"),
    (lambda c: c.crosstab("Gender", base=1, base_audience=2), "'base' and 'base_audience', which"),
    (lambda c: c.overlap("Gender", more=1), "takes no argument 'more'"),
    (lambda c: c["Gender"].any("Male", scales=1), "Did you mean 'scale'?"),
    (lambda c: c.crosstab("Gender", "Age").test(corection="holm"), "Did you mean 'correction'?"),
    (lambda c: c.crosstab("Gender", "Age").test(levels=0.9, alpha=0.1), "'alpha' and 'levels'"),
    (lambda c: c.insights.filter(type=["chart"]), "Did you mean 'types'?"),
    (lambda c: al.connect(tokn="x"), "connect takes no argument 'tokn'. Did you mean 'token'?"),
    (lambda c: c.crosstab("Gender", "Age").to_html("x.html"), 'Write .save("table.html")'),
    (lambda c: c.tab_book("Gender", ["Pets"]).to_html("x.html"), 'Write .save("table.html")'),
    (lambda c: al.open("x.sav", weigths="w"), "Did you mean 'weight'?"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED, ids=[words for _, words in REFUSED])
def test_an_unknown_argument_is_refused_in_few_frames(
    client: al.Client, call: Callable[[al.Client], Any], words: str
) -> None:
    with pytest.raises(TypeError) as caught:
        call(client)
    assert words in str(caught.value)
    ours = [each for each in caught.traceback if Path(each.path).name != Path(__file__).name]
    assert len(ours) <= 2


SAME: list[tuple[Callable[[al.Client], Any], Callable[[al.Client], Any]]] = [
    (
        lambda c: c.crosstab(index="Gender", cols="Age", filter=c["Pets"] == "Dog", wave="2025"),
        lambda c: c.crosstab("Gender", "Age", base_audience=c["Pets"] == "Dog", waves="2025"),
    ),
    (lambda c: c.stats("Age", by="Gender"), lambda c: c.stats("Age", splitter="Gender")),
    (lambda c: c.stats("Age", weights=None), lambda c: c.stats("Age", weight=None)),
    (
        lambda c: c.crosstab("Gender", "Age").test(alpha=0.1),
        lambda c: c.crosstab("Gender", "Age").test(levels=0.9),
    ),
]


@pytest.mark.parametrize(("theirs", "ours"), SAME)
def test_words_of_other_programs_mean_our_arguments(
    client: al.Client,
    theirs: Callable[[al.Client], Any],
    ours: Callable[[al.Client], Any],
) -> None:
    assert theirs(client).to_frame().equals(ours(client).to_frame())


@pytest.mark.parametrize("word", ["letters", "test", "tests", "significance"])
def test_letters_are_those_of_the_tables_own_test(client: al.Client, word: str) -> None:
    table = client.crosstab("Finding brands", "Age")
    asked = table.to_html(comparison=table.test())
    for given in (True, table.test()):
        assert table.to_html(**cast(Any, {word: given})) == asked
    assert table.to_html(**cast(Any, {word: False})) == table.to_html() != asked


def test_a_token_is_in_no_frame_of_a_refusal() -> None:
    secret = "4f9a" * 8
    with pytest.raises(TypeError) as caught:
        al.connect("https://a.example", tokn=1, token=secret)
    frames = traceback.StackSummary.extract(
        traceback.walk_tb(caught.value.__traceback__), capture_locals=True
    )
    assert secret not in "".join(str(each.locals) for each in frames if each.filename != __file__)
