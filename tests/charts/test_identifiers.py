"""The same drawing has the same ids, whatever was drawn before; another one has others."""

import re

from audiencelab import charts
from audiencelab.charts.renderer import name_after_content
from tests.results.samples import crosstab


def drawn(column_sample: float) -> str:
    return charts.bar(crosstab(column_sample=column_sample), "column_percentage").svg()


def ids(svg: str) -> list[str]:
    return re.findall(r'\bid="([^"]*)"', svg)


def test_a_chart_drawn_twice_is_the_same_picture() -> None:
    first = drawn(29)
    assert ids(first)
    assert drawn(29) == first


def test_every_id_that_is_used_is_there() -> None:
    svg = drawn(29)
    used = set(re.findall(r'="url\(#([^)]*)\)"', svg))
    assert used
    assert used <= set(ids(svg))
    assert len(set(ids(svg))) == len(ids(svg))


def test_two_charts_of_one_page_share_no_id() -> None:
    assert not set(ids(drawn(29))) & set(ids(drawn(99)))


def test_a_label_that_reads_like_an_id_stays() -> None:
    used = '<clipPath id="clip7"/><g clip-path="url(#clip7)"/>'
    svg = f"<svg>{used}<text>clip7, url(#clip7)</text></svg>"
    settled = name_after_content(svg)
    assert "<text>clip7, url(#clip7)</text>" in settled
    assert settled.count("clip7") == 2
    assert 'clip-path="url(#d' in settled
