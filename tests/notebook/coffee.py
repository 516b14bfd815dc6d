"""A weighted survey of three waves in Turkish, and a notebook on it, for tests of sharing."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import nbformat

__all__ = ["CELLS", "CODEBOOK", "write_codebook", "write_data", "write_notebook"]

BRANDS = ("Kuru Kahve", "Mavi Fincan", "Şirin Köşe", "Çınaraltı", "İnci")
CODEBOOK = """\
[study]
name = "Kahve araştırması"
description = "Kahve içenler, Türkiye, 2025"

[weight]
column = "agirlik"
others = ["agirlik_b"]

[wave]
column = "dalga"

[key]
column = "kimlik"

[design]
strata = "bolge"

[[waves]]
code = "ilkbahar"
name = "İlkbahar 2025"
starts = 2025-03-01
ends = 2025-03-28
value = 1

[[waves]]
code = "yaz"
name = "Yaz 2025"
starts = 2025-06-01
ends = 2025-06-28
value = 2

[[waves]]
code = "sonbahar"
name = "Sonbahar 2025"
starts = 2025-09-01
ends = 2025-09-28
value = 3

[[questions]]
code = "cinsiyet"
name = "Cinsiyet"
column = "cinsiyet"
labels = { 1 = "Kadın", 2 = "Erkek" }

[[questions]]
code = "yas"
name = "Yaş"
column = "yas"
form = "numeric"
datapoints = [
  { name = "35 yaş altı", below = 35 },
  { name = "35 yaş ve üstü", min = 35, max = 99 },
]

[[questions]]
code = "bolge"
name = "Bölge"
column = "bolge"
labels = { 1 = "İstanbul", 2 = "Ankara", 3 = "İzmir", 4 = "Diğer iller" }

[[questions]]
code = "marka"
name = "Bilinen markalar"
kind = "multiple"
not_selected = ["0"]
datapoints = [
  { name = "Kuru Kahve", column = "bil_1", value = 1 },
  { name = "Mavi Fincan", column = "bil_2", value = 1 },
  { name = "Şirin Köşe", column = "bil_3", value = 1 },
  { name = "Çınaraltı", column = "bil_4", value = 1 },
  { name = "İnci", column = "bil_5", value = 1 },
]

[[questions]]
code = "memnun"
name = "Memnuniyet"
column = "memnun"
top = "last"
universe = "Mavi Fincan içenler"
datapoints = [
  { name = "Hiç memnun değil", value = 1, midpoint = 1 },
  { name = "Memnun değil", value = 2, midpoint = 2 },
  { name = "Kararsız", value = 3, midpoint = 3 },
  { name = "Memnun", value = 4, midpoint = 4 },
  { name = "Çok memnun", value = 5, midpoint = 5 },
]

[[questions]]
code = "harcama"
name = "Aylık harcama (TL)"
column = "harcama"
form = "numeric"
datapoints = [
  { name = "200 altı", below = 200 },
  { name = "200 ile 400 arası", min = 200, max = 400 },
  { name = "400 üstü", min = 401, max = 5000 },
]
"""


def write_codebook(folder: Path) -> Path:
    """`kahve.toml` in the folder."""
    path = folder / "kahve.toml"
    path.write_text(CODEBOOK, encoding="utf-8", newline="\n")
    return path


def write_data(folder: Path, respondents: int = 900) -> Path:
    """`kahve.csv` in the folder: the same bytes each time."""
    chance = random.Random(46)
    path = folder / "kahve.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        known = [f"bil_{number}" for number in range(1, len(BRANDS) + 1)]
        first = ("kimlik", "dalga", "agirlik", "agirlik_b", "cinsiyet", "yas", "bolge")
        rows.writerow([*first, *known, "memnun", "harcama"])
        for number in range(respondents):
            rows.writerow(_respondent(number, chance))
    return path


def _respondent(number: int, chance: random.Random) -> list[object]:
    wave, sex, age = number % 3 + 1, chance.choice((1, 2)), chance.randint(18, 80)
    region = chance.choice((1, 1, 2, 3, 4))
    young = age < 35
    aware = [
        int(chance.random() < 0.2 + 0.1 * brand + 0.15 * young * (brand % 2) + 0.05 * wave)
        for brand in range(len(BRANDS))
    ]
    happy = min(5, max(1, round(chance.gauss(3.2 + 0.5 * (sex == 1), 1)))) if aware[1] else ""
    spend = round(chance.lognormvariate(5.6, 0.5))
    weights = [round(chance.uniform(0.4, 2.2), 4), round(chance.uniform(0.6, 1.5), 4)]
    return [f"k{number:04}", wave, *weights, sex, age, region, *aware, happy, min(spend, 5000)]


OPENED = """\
import audiencelab as al

client = al.open("kahve.csv", codebook="kahve.toml", quiet=True)"""
FILES = """\
table.to_excel("tablo.xlsx", comparison=letters)
table.to_pptx("tablo.pptx")
table.to_csv("tablo.csv")
chart.save("grafik.svg")
chart.save("grafik.png")
table.save("tablo.html")"""
SENTENCE = """\
women, men = table["column"].iloc[1, :2]
print(f"Mavi Fincan: {women:.1f}% of women, {women - men:.1f} points higher than of men")
print("not significant, p = 0.61")"""
PICTURE = """\
from IPython.display import HTML, Image, Markdown, display

display(Markdown("**Kadın** içenler daha memnun"), HTML("<b>Kaynak:</b> kahve"))
Image(chart.png(scale=1))"""
OWN_CHART = """\
import altair as alt

shares = table.to_wide().droplevel(0).iloc[:, :2].droplevel(0, axis=1)
alt.Chart(shares.reset_index()).mark_bar().encode(x="Kadın", y="row")"""
# The cells of the notebook by name.
CELLS = {
    "open": OPENED,
    "table": 'table = client.crosstab("marka", ["cinsiyet", "yas"])\ntable',
    "letters": "letters = table.test()\nletters",
    "widget": 'al.Crosstab(client, "marka", "bolge").wait()',
    "chart": "chart = table.chart()\nchart",
    "means": (
        'means = client.crosstab([al.mean("harcama"), al.mean("memnun")], "bolge").test()\nmeans'
    ),
    "women": 'client.crosstab("memnun", "bolge", base_audience=client["cinsiyet"]["Kadın"])',
    "other weight": 'client.crosstab("marka", "cinsiyet", weight="agirlik_b").test(pooled=False)',
    "unweighted": 'client.crosstab("marka", "cinsiyet", weight=None)',
    "one wave": 'client.crosstab("marka", "cinsiyet", waves="latest 1")',
    "trend": 'trend = client.stats("marka", splitter="waves").moving_average(2)\ntrend',
    "trend chart": "trend.chart.trend()",
    "estimate": 'client.mean("harcama", by="cinsiyet")',
    "profile": 'client.profile(client["cinsiyet"]["Kadın"], ["marka", "bolge"])',
    "overlap": 'client.overlap(client.catalogue.audiences("marka")[:3])',
    "files": FILES,
    "provenance": "table.provenance",
    "frame": "table.to_wide()",
    "sentence": SENTENCE,
    "picture": PICTURE,
    "latex": "from IPython.display import Latex\n\nLatex(table.to_latex())",
    "own chart": OWN_CHART,
    "path": 'from pathlib import Path\n\nPath("tablo.csv").resolve()',
}


def write_notebook(folder: Path) -> Path:
    """`kahve.ipynb`, not run yet, with its survey."""
    write_data(folder)
    write_codebook(folder)
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell(code, id=f"cell-{number}")
            for number, code in enumerate(CELLS.values())
        ]
    )
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    path = folder / "kahve.ipynb"
    nbformat.write(notebook, path)
    return path
