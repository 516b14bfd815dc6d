"""Tables by waves: All is everyone in all requested waves, and what each wave is compared with.

Every figure is counted again with pandas from the respondents.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from pptx import Presentation

import audiencelab as al
from audiencelab.analysis.proportions import crosstab_proportions
from audiencelab.cli import main
from audiencelab.results.all_waves import in_one_scale, within_all_waves
from audiencelab.widgets.crosstab.metrics import plane
from audiencelab.widgets.crosstab.tiles import Margins, cut_tile

SEED = 7
SIZES = {1: 150, 2: 240, 3: 330}
WAVES = list(SIZES)


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Three waves of different sizes and weights; more and more say yes; two ages."""
    rng = np.random.default_rng(SEED)
    wave = np.repeat(WAVES, list(SIZES.values()))
    return pd.DataFrame(
        {
            "wave": wave,
            "says": np.where(rng.random(len(wave)) < 0.2 + 0.15 * wave, "yes", "no"),
            "age": rng.choice(["young", "old"], len(wave)),
            "wgt": rng.integers(1, 9, len(wave)) / 4,
        }
    )


@pytest.fixture(scope="module")
def file(people: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("waves") / "people.csv"
    people.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def client(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIENCELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield al.open(file, weight="wgt", wave="wave", quiet=True)


@pytest.fixture(scope="module")
def table(client: al.Client) -> al.CrosstabResult:
    return client.crosstab("says", "waves")


def share(people: pd.DataFrame) -> float:
    """The percentage of yes."""
    return float(100 * people.loc[people["says"] == "yes", "wgt"].sum() / people["wgt"].sum())


def test_every_figure_is_that_of_pandas(people: pd.DataFrame, table: al.CrosstabResult) -> None:
    frame = table.to_frame().query("row == 'yes'").set_index("column")
    yes, everyone = people[people["says"] == "yes"], people["wgt"].sum()
    for label, (wave, inside) in zip(frame.index, people.groupby("wave"), strict=True):
        own, line = yes[yes["wave"] == wave], frame.loc[label]
        expected = {
            "size": own["wgt"].sum(),
            "sample": len(own),
            "column_size": inside["wgt"].sum(),
            "column_sample": len(inside),
            "column_percentage": share(inside),
            "base_size": everyone / 3,
            "base_sample": len(people),
            "row_size": yes["wgt"].sum() / 3,
            "row_sample": len(yes),
            "row_base_percentage": share(people),
            "index": 100 * share(inside) / share(people),
            "row_percentage": 100 * own["wgt"].sum() / yes["wgt"].sum(),
            "total_percentage": 100 * own["wgt"].sum() / everyone,
            "column_base_percentage": 100 * inside["wgt"].sum() / everyone,
        }
        assert {name: line[name] for name in expected} == pytest.approx(expected, rel=1e-9)
    assert table["index"].iloc[1].tolist() == pytest.approx(frame["index"].tolist())


@pytest.mark.parametrize("vs", ["rest", "total"])
def test_a_wave_is_tested_against_the_other_requested_waves(
    people: pd.DataFrame, client: al.Client, table: al.CrosstabResult, vs: Any
) -> None:
    tested = table.test(vs=vs).to_frame().query("row == 'yes'")
    for (_, line), wave in zip(tested.iterrows(), WAVES, strict=True):
        rest = people[people["wave"] != wave]
        other = rest if vs == "rest" else people
        assert line["percentage"] == pytest.approx(share(people[people["wave"] == wave]))
        assert line["other_percentage"] == pytest.approx(share(other))
        assert line["other_sample"] == len(other)
        wave_is = al.Q("waves").any(_codes(client)[wave - 1])
        pair = [al.Audience("one", wave_is), al.Audience("rest", ~wave_is)]
        apart = client.crosstab("says", pair).test().to_frame().iloc[1]
        assert abs(line["z"]) == pytest.approx(abs(apart["z"]))
    assert tested["p"].min() < 0.001


def _codes(client: al.Client) -> list[str]:
    return [wave.code for wave in client.waves()]


def test_every_surface_shows_all_requested_waves(
    people: pd.DataFrame,
    client: al.Client,
    table: al.CrosstabResult,
    file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole, n = f"{share(people):.1f}%", str(len(people))
    index = f"{100 * share(people[people['wave'] == 1]) / share(people):.0f}"

    def shows(text: str, *figures: str) -> None:
        assert all(figure in text for figure in (n, *figures)), text

    shows(table.to_markdown(metrics=["column", "index"]), whole, index)
    shows(table.to_latex(), whole.removesuffix("%"))
    shows(table._repr_html_(), whole)
    shows(table.test(vs="rest").to_markdown(), whole)
    for made in (table, client.tab_book("waves", ["says"])):
        made.to_excel(tmp_path / "table.xlsx")
        sheets = openpyxl.load_workbook(tmp_path / "table.xlsx").worksheets
        cells = [cell.value for sheet in sheets for row in sheet.iter_rows() for cell in row]
        assert len(people) in cells
        numbers = [each for each in cells if isinstance(each, float)]
        assert min(abs(each - share(people)) for each in numbers) < 1e-9
    table.to_pptx(tmp_path / "table.pptx")
    shapes = [
        shape for slide in Presentation(tmp_path / "table.pptx").slides for shape in slide.shapes
    ]
    texts = [cell.text for each in shapes if each.has_table for cell in each.table.iter_cells()]
    shows(" ".join(texts), whole)
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    asked = ["crosstab", str(file), "--rows", "says", "--columns", "waves"]
    assert main([*asked, "--weight", "wgt", "--wave", "wave"]) == 0
    shows(capsys.readouterr().out, whole.removesuffix("%"))
    grid = al.Crosstab(client, rows="says", columns="waves")
    assert grid.wait().result.base_sample == len(people)
    shows(grid._repr_mimebundle_()[0]["text/html"])


def test_the_page_computes_the_same_metrics_from_a_tile(table: al.CrosstabResult) -> None:
    tile = cut_tile(table, Margins.of(table), np.arange(2), np.arange(3))
    planes = {
        each.name: np.frombuffer(
            tile.body, each.dtype, int(np.prod(each.shape)), each.offset
        ).reshape(each.shape)
        for each in tile.header.planes
    }
    names = ("size", "column_size", "row_size", "base_size")
    size, column, row, base = (planes[name] for name in names)
    for name, found in {
        "index": 100 * (size / column) / (row / base),
        "row_percentage": 100 * size / row,
        "percentage": 100 * size / base,
        "size": size / (planes["row_part"] * planes["column_part"]),
    }.items():
        np.testing.assert_allclose(np.broadcast_to(found, (2, 3)), table.values(name), rtol=1e-6)
    scaled = in_one_scale(table)
    rest = (row - size) / (base - column)
    np.testing.assert_allclose(
        np.sign(crosstab_proportions(scaled).cells.value - rest), np.sign(plane(table, "z"))
    )


def test_banners_of_waves_and_others_and_rows_of_waves_agree(
    people: pd.DataFrame, client: al.Client, table: al.CrosstabResult
) -> None:
    wide = table["index"]
    for banner in (["Total", "waves"], ["waves", "age"]):
        mixed = client.crosstab("says", banner)
        by_name = mixed.to_frame().set_index(["row", "column"])["index"]
        for name in wide["Wave"]:
            assert by_name["yes", name] == pytest.approx(wide["Wave", name].iloc[1])
        assert mixed.base_sample == len(people)
    nested = client.crosstab("says", {"wave": al.nest("waves", "age")}).to_frame()
    line = nested.query("row == 'yes' and sample > 0").iloc[0]
    assert line["base_sample"] == len(people)
    assert line["index"] == pytest.approx(100 * line["column_percentage"] / share(people))
    turned = client.crosstab("waves", "says")
    assert turned.base_sample == len(people)
    np.testing.assert_allclose(turned["index"].to_numpy(), wide.to_numpy().T)
    np.testing.assert_allclose(turned["row"].to_numpy(), table["column"].to_numpy().T)
    np.testing.assert_allclose(turned["column"].sum(), 100)
    assert turned.column_values("column_sample").sum() == len(people)


def test_nets_standouts_and_profiles_compare_with_all_waves(
    people: pd.DataFrame, client: al.Client, table: al.CrosstabResult
) -> None:
    net = table.nets({"any": ["yes", "no"]}, disjoint=True).to_frame().query("row_net")
    assert net["row_percentage"].sum() == pytest.approx(100)
    assert net["index"].tolist() == pytest.approx([100] * 3)
    first = table.standouts(limit=1).iloc[0]
    assert first["index"] != 100
    profile = client.profile(al.Q("waves").any(_codes(client)[0]), ["says"]).to_frame()
    assert profile["index"].iloc[1] == pytest.approx(table["index"].iloc[1, 0])
    seen = table.intervals().query("row == 'yes'")
    assert (seen["index_low"] < seen["index"]).all()
    seen = table.intervals(design=None).query("row == 'yes'")
    assert (seen["total_percentage_high"] > seen["total_percentage"]).all()
    assert (seen["total_percentage_high"] < seen["column_percentage"]).all()


@pytest.mark.parametrize("change", ["missing", "refused", "of other people"])
def test_a_recording_replays_and_one_without_all_waves_compares_each_with_itself(
    client: al.Client, table: al.CrosstabResult, tmp_path: Path, change: str
) -> None:
    """As recordings of 2.0, and services that do not count the second request, do."""
    path = tmp_path / "waves.audiencelab.jsonl"
    with client.recording(path):
        recorded = client.crosstab("says", "waves", waves="all")

    def replayed() -> al.CrosstabResult:
        return al.connect(snapshot=path).crosstab("says", "waves", waves="all")

    pd.testing.assert_frame_equal(replayed().to_frame(), recorded.to_frame())
    pd.testing.assert_frame_equal(recorded.to_frame(), table.to_frame())
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    exchanges: list[dict[str, Any]] = list(map(json.loads, lines))
    [own] = [each for each in exchanges if '"or"' in json.dumps(each["request"])]
    if change == "missing":
        exchanges.remove(own)
    elif change == "refused":
        own["status"] = 400
    else:
        own["body"] = own["body"].replace('"sample":', '"sample":1')
        own["sha256"] = hashlib.sha256(own["body"].encode()).hexdigest()
    written = "".join(f"{json.dumps(each)}\n" for each in exchanges)
    digest = hashlib.sha256(written.encode()).hexdigest()
    header = {**json.loads(first), "exchanges": len(exchanges), "sha256": digest}
    path.write_text(f"{json.dumps(header)}\n{written}", encoding="utf-8", newline="\n")
    assert replayed()["index"].to_numpy().tolist() == [[100] * 3] * 2


@pytest.mark.parametrize(
    ("expression", "changes"),
    [
        (al.Q("waves").any("a"), True),
        (~al.Q("waves").any("a"), True),
        (al.Q("waves").any("a") & al.Q("q").any("b"), True),
        (~(al.Q("waves").any("a") & al.Q("q").any("b")), False),
        (al.Q("q").any("b"), False),
        (None, False),
    ],
)
def test_conditions_on_waves_are_widened(expression: Any, changes: bool) -> None:
    assert (within_all_waves(expression) != expression) is changes


def test_waves_that_are_all_that_is_requested_need_no_second_request(
    client: al.Client, tmp_path: Path
) -> None:
    codes = _codes(client)
    first = codes[0]
    with client.recording(tmp_path / "one.audiencelab.jsonl") as heard:
        # Those who answered have a request more, for the base of each row in all waves.
        columns, everyone = [al.Q("waves").any(first)], "everyone"
        client.crosstab("says", columns, waves=[first], base_of=everyone)
        before = len(heard)
        table = client.crosstab("says", columns, waves=codes, base_of=everyone)
        assert len(heard) == before + 2
    # Bases that are waves stay apart.
    beside = al.side_by_side(
        {"all": table, "first": client.crosstab("says", "age", waves=[first], base_of=everyone)}
    )
    assert in_one_scale(beside).columns[1].expression == beside.columns[1].expression
    tested = table.test(vs="rest", design=client.design_effects(table)).to_frame()
    assert tested["p"].tolist() == pytest.approx(table.test(vs="rest").to_frame()["p"].tolist())
