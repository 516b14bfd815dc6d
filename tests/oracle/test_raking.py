"""Raking against R's `survey` package (4.1-1, R 4.2.2): the same weights, computed elsewhere.

R's figures stand here with the recipe that prints them. Its `calibrate(…, calfun = "raking")`,
which reaches them by another way (Newton's), gives the first ones to 14 digits as well.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audiencelab.survey import Survey
from audiencelab.survey.raking import Margin, Target, Targets, rake, rake_weights
from audiencelab.survey.weights import effective_base
from tests.oracle.asking import Asker

# i <- 0:239
# d <- data.frame(a = i %% 3, b = (i * i) %/% 7 %% 2, c = (i %/% 5) %% 4,
#                 w = 0.5 + ((i * 37) %% 101) / 100)
# r <- rake(svydesign(~1, weights = ~w, data = d), list(~a, ~b, ~c),
#           list(data.frame(a = 0:2, Freq = c(200, 330, 470)),
#                data.frame(b = 0:1, Freq = c(620, 380)),
#                data.frame(c = 0:3, Freq = c(100, 200, 300, 400))),
#           control = list(maxit = 1000, epsilon = 1e-12))
# weights(r)[c(1, 2, 100, 240)]; range(weights(r)); sum(weights(r)^2)
# sum(weights(r)[d$a == 0 & d$b == 1 & d$c == 2])
WEIGHTS = {0: 0.648676242292497, 1: 1.902192656503652, 99: 3.728788266877021, 239: 12.2998772949169}
RANGE = (0.418485420160439, 16.593230690312470)
SQUARES = 6419.71329654181
CELL = 19.6411902405619


def test_three_margins_give_the_weights_that_r_gives() -> None:
    i = np.arange(240)
    a, b, c = i % 3, i * i // 7 % 2, i // 5 % 4
    fitted = rake_weights(
        0.5 + i * 37 % 101 / 100,
        [
            (a, np.array([200.0, 330, 470])),
            (b, np.array([620.0, 380])),
            (c, np.array([100.0, 200, 300, 400])),
        ],
    )
    assert fitted.converged
    assert {place: fitted.weights[place] for place in WEIGHTS} == pytest.approx(WEIGHTS, rel=1e-8)
    assert (fitted.weights.min(), fitted.weights.max()) == pytest.approx(RANGE, rel=1e-8)
    assert np.square(fitted.weights).sum() == pytest.approx(SQUARES, rel=1e-8)
    assert fitted.weights[(a == 0) & (b == 1) & (c == 2)].sum() == pytest.approx(CELL, rel=1e-8)


# m <- read.csv("raw-responses.csv", fileEncoding = "latin1", na.strings = "NA")
# m$kids[is.na(m$kids)] <- "none given"
# n <- sum(m$weight); none <- sum(m$weight[m$kids == "none given"])
# share <- function(name, levels, shares, of)
#   setNames(data.frame(levels, shares / sum(shares) * of), c(name, "Freq"))
# margins <- list(
#   share("age3", c("18 - 34", "35 - 64", "65 and up"), c(30, 50, 20), n),
#   share("race2", c("White", "Non-white"), c(64, 36), n),
#   share("educ3", c("High school or less", "Some college", "College or more"), c(40, 28, 32), n),
#   rbind(share("kids", c("Has children", "No children"), c(60, 40), n - none),
#         data.frame(kids = "none given", Freq = none)))
# r <- rake(svydesign(~1, weights = ~weight, data = m), list(~age3, ~race2, ~educ3, ~kids),
#           margins, control = list(maxit = 2000, epsilon = 1e-12))
# w <- weights(r); sum(w)^2 / sum(w^2); length(w) * sum(w^2) / sum(w)^2; range(w)
# svytable(~q0001 + age3, r)["Very masculine", ]; svytable(~q0024, r)["Married"]
MARGINS = {
    "age3": {"18 - 34": 30, "35 - 64": 50, "65 and up": 20},
    "race2": {"White": 64, "Non-white": 36},
    "educ3": {"High school or less": 40, "Some college": 28, "College or more": 32},
    "kids": {"Has children": 60, "No children": 40},
}
EFFECTIVE_BASE, DESIGN_EFFECT = 504.447654135581956, 3.20152147950307
LEAST, MOST = 0.016279425248121, 11.779872758620350
VERY_MASCULINE = [143.668236853831, 347.386509168779, 121.129030303916]
MARRIED = 771.104836019499


def test_a_real_survey_with_gaps_gives_the_figures_that_r_gives(
    masculinity_survey: Survey, tmp_path: Path
) -> None:
    survey = Asker(masculinity_survey)
    margins = tuple(
        Margin(code, {survey.leaf(code, name)["datapoints"][0]: share for name, share in each})
        for code, each in ((code, shares.items()) for code, shares in MARGINS.items())
    )
    found = rake(masculinity_survey.path, Targets((Target(margins),)), out=tmp_path / "raked")
    [group] = found.groups
    assert group.unanswered == 9
    assert group.after == pytest.approx(EFFECTIVE_BASE, rel=1e-7)
    assert group.design_effect == pytest.approx(DESIGN_EFFECT, rel=1e-7)
    weights = found.survey.wave("w1").weights
    assert effective_base(weights) == pytest.approx(EFFECTIVE_BASE, rel=1e-7)
    assert (weights.min(), weights.max()) == pytest.approx((LEAST, MOST), rel=1e-7)

    raked = Asker(found.survey)
    ages = [raked.leaf("age3", name) for name in MARGINS["age3"]]
    rows = [raked.leaf("q0001", "Very masculine"), raked.leaf("q0024", "Married")]
    cells = raked.crosstab(rows, [*ages, None])
    sizes = [cells[0, column]["intersect"]["size"] for column in range(3)]
    assert sizes == pytest.approx(VERY_MASCULINE, rel=1e-7)
    assert cells[1, 3]["intersect"]["size"] == pytest.approx(MARRIED, rel=1e-7)
