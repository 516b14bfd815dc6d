"""Correspondence analysis against figures that are in print, and against another program.

The table is the staff of a company by how much they smoke, from M. Greenacre, *Theory and
Applications of Correspondence Analysis* (1984), and every text on the method since; its row of the
national average is supplementary.
"""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab.analysis.correspondence import Correspondence
from audiencelab.tables import CrosstabResult
from tests.results.samples import counted

STAFF = ("Senior managers", "Junior managers", "Senior staff", "Junior staff", "Secretaries")
SMOKING = ("None", "Light", "Medium", "Heavy")
NATIONAL = "National average"
PEOPLE = np.array(
    [[4, 2, 3, 2], [4, 3, 7, 4], [25, 10, 12, 4], [18, 24, 33, 13], [10, 6, 7, 2]], dtype=float
)
AVERAGE = np.array([[42.0, 29, 20, 9]])

# O. Nenadić and M. Greenacre, "Correspondence Analysis in R", Journal of Statistical Software,
# 20(3), 2007: the summary of this table, in thousandths. Mass, quality, inertia; then the
# coordinate, the squared cosine and the contribution on the first dimension, and on the second.
# The signs of a dimension are free.
SUMMARY = {
    "Senior managers": (57, 893, 31, -66, 92, 3, -194, 800, 214),
    "Junior managers": (93, 991, 139, 259, 526, 84, -243, 465, 551),
    "Senior staff": (264, 1000, 450, -381, 999, 512, -11, 1, 3),
    "Junior staff": (456, 1000, 308, 233, 942, 331, 58, 58, 152),
    "Secretaries": (130, 999, 71, -201, 865, 70, 79, 133, 81),
    "None": (316, 1000, 577, -393, 994, 654, -30, 6, 29),
    "Light": (233, 984, 83, 99, 327, 31, 141, 657, 463),
    "Medium": (321, 983, 148, 196, 982, 166, 7, 1, 2),
    "Heavy": (130, 995, 192, 294, 684, 150, -198, 310, 506),
}
# The same authors' supplementary row: coordinates and squared cosines.
SUPPLEMENTARY = (-258, 631, -118, 131)

# R 4 with MASS:
# corresp(matrix(c(4,2,3,2, 4,3,7,4, 25,10,12,4, 18,24,33,13, 10,6,7,2), 5, byrow=TRUE), nf=3)
# its $cor, the canonical correlations, and $cscore, which are standard coordinates.
CORRELATIONS = (0.27342111455730, 0.10008586569655, 0.02033652083952)
COLUMN_SCORES = [
    [-1.43847138219567, -0.304659113422017, -0.043787366243005],
    [0.36374630742914, 1.409432672819510, 1.081701000050113],
    [0.71801680975940, 0.073527950580549, -1.261724505267616],
    [1.07444513098168, -1.975959891765157, 1.288856146606436],
]


@pytest.fixture(scope="module")
def table() -> CrosstabResult:
    return counted((*STAFF, NATIONAL), SMOKING, np.vstack([PEOPLE, AVERAGE]))


@pytest.fixture(scope="module")
def analysis(table: CrosstabResult) -> Correspondence:
    return table.correspondence(NATIONAL)


def test_the_inertias_are_the_published_ones(analysis: Correspondence) -> None:
    assert np.round(analysis.inertias, 4).tolist() == [0.0748, 0.0100, 0.0004]
    assert np.round(analysis.percentages, 1).tolist() == [87.8, 11.8, 0.5]


def test_every_published_figure_of_every_point(analysis: Correspondence) -> None:
    frame = analysis.to_frame().set_index("name")
    columns = ["mass", "quality", "inertia"]
    columns += [f"{name}_{k}" for k in (1, 2) for name in ("dimension", "cos2", "contribution")]
    told = np.round(1000 * frame.loc[list(SUMMARY), columns].to_numpy(dtype=float))
    published = np.array(list(SUMMARY.values()), dtype=float)
    for coordinate in (3, 6):
        published[:, coordinate] *= np.sign(told[0, coordinate] * published[0, coordinate])
    assert told.tolist() == published.tolist()


def test_the_supplementary_row_is_where_it_is_published_and_moves_nothing(
    analysis: Correspondence,
) -> None:
    line = analysis.to_frame().set_index("name").loc[NATIONAL]
    told = [line[f"{name}_{k}"] for k in (1, 2) for name in ("dimension", "cos2")]
    assert np.round(1000 * np.abs(np.array(told, dtype=float))).tolist() == list(
        map(abs, SUPPLEMENTARY)
    )
    assert bool(line["supplementary"])
    assert np.isnan([line["mass"], line["inertia"], line["contribution_1"]]).all()
    alone = counted(STAFF, SMOKING, PEOPLE).correspondence()
    assert analysis.inertias.tolist() == alone.inertias.tolist()


def test_scores_are_those_of_another_program(analysis: Correspondence) -> None:
    assert np.sqrt(analysis.inertias).tolist() == pytest.approx(CORRELATIONS, rel=1e-10)
    _, columns = analysis.coordinates("row-principal")
    scores = np.array(COLUMN_SCORES)
    scores *= np.sign(columns[0] * scores[0])
    assert columns.ravel().tolist() == pytest.approx(scores.ravel().tolist(), rel=1e-9)
