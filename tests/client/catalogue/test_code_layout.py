"""Code for cells: short lines, names as comments, and an unchanged value."""

from __future__ import annotations

import audiencelab as al
from audiencelab.client.catalogue.code_layout import audience_code, listed_code, wrapped
from audiencelab.expressions import Expression


def condition(number: int, answers: int = 3) -> Expression:
    return al.Q(f"question_{number}").any(*(f"answer_{number}_{at}" for at in range(answers)))


def longest(code: str) -> int:
    return max(map(len, code.splitlines()))


def test_short_code_is_one_line() -> None:
    assert wrapped("al.Q('q2').any('q2_1')") == "al.Q('q2').any('q2_1')"
    audience = al.Audience("Women", al.Q("q2").any("q2_2"))
    assert audience_code(audience) == f"audience = {audience.to_code()}"


def test_long_code_is_wrapped_and_evaluates_to_the_same() -> None:
    either = condition(1) | ~condition(2) | (condition(3) & condition(4))
    audience = al.Audience(
        "Many", condition(5, 12) & ~either & (condition(6) & condition(7)) & ~condition(8)
    )
    code = audience_code(audience)
    assert longest(code) <= 88
    assert "\n" in code
    names: dict[str, object] = {"al": al}
    exec(code, names)
    assert names["audience"] == audience


def test_items_have_their_labels_as_comments() -> None:
    code = listed_code("picked", [("Age: 18 to 24", "al.Q('q4').any('q4_2')")])
    assert code == "picked = (\n    # Age: 18 to 24\n    al.Q('q4').any('q4_2'),\n)"
    assert listed_code("picked", []) == "picked = ()"


def test_no_label_ends_its_comment() -> None:
    breaks = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
    label = f"a{'b'.join(breaks)}raise SystemExit" + " long" * 40
    code = listed_code("picked", [(label, "al.Q('q4').any('q4_2')")])
    assert len(code.splitlines()) == 4
    assert longest(code) <= 88
