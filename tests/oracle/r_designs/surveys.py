"""Surveys drawn in ways that R's `survey` knows, for `designs.R` and the test beside it.

    python -m tests.oracle.r_designs.surveys FOLDER
    Rscript tests/oracle/r_designs/designs.R FOLDER > tests/oracle/r_designs/designs.json

Each has the same columns: `answer` (a single question, some without one), `group` (a single
question, of regions where there are some), `old`, `red` and `blue` (yes or no, which overlap),
`amount` and `hours` (numbers, with ties); `w`, and how it was drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import hadamard

TESTS = Path(__file__).parents[2]
FLAGS = ("old", "red", "blue")


@dataclass(frozen=True)
class Case:
    """design: what `DesignColumns` is given. margins: what is raked to, by question and answer."""

    frame: Callable[[], pd.DataFrame]
    design: dict[str, Any]
    margins: dict[str, dict[str, float]] | None = None


def yrbs() -> pd.DataFrame:
    """Pupils of 54 schools in 13 strata; all but the answer and the design is made up."""
    path = TESTS / "data" / "yrbs" / "yrbs_2015_qn8.csv.gz"
    known = pd.read_csv(path)
    at = np.arange(len(known))
    stratum = known["stratum"].astype(int)
    group = np.select([stratum < 110, stratum == 112, stratum < 200], list("abc"), "d")
    frame = pd.DataFrame({"answer": known["qn8"].map({1: "rarely", 2: "often"}), "group": group})
    made_up = _made_up(at, stratum.to_numpy(), known["psu"].to_numpy())
    drawn = {"w": known["weight"], "stratum": stratum, "psu": known["psu"].astype(int)}
    return frame.assign(**made_up, **drawn)


def apistrat() -> pd.DataFrame:
    """R's `apistrat`: schools of three types, of which the population is known."""
    known = pd.read_csv(TESTS / "oracle" / "apistrat.csv")
    sizes = {"E": 4421, "M": 1018, "H": 755}
    fpc = known["stype"].map(sizes)
    return _schools(known).assign(w=known["pw"], stratum=known["stype"], fpc=fpc)


def apiclus2() -> pd.DataFrame:
    """R's `apiclus2`: schools of 40 of 757 districts, only the first of its two stages.

    `apiclus2.csv` has some columns of `data(api)` in the R package `survey` 4.1-1: figures that the
    California Department of Education publishes.
    """
    known = pd.read_csv(Path(__file__).with_name("apiclus2.csv"))
    return _schools(known).assign(w=known["pw"], psu=known["dnum"], fpc=known["fpc1"])


def _schools(known: pd.DataFrame) -> pd.DataFrame:
    at, index = np.arange(len(known)), known["api00"]
    answer = np.select([index < 550, index < 650, index < 850], ["low", "fair", "good"], "top")
    made_up = _made_up(at, at % 7, at % 5)
    frame = pd.DataFrame({"answer": answer, "group": known["stype"], **made_up})
    return frame.assign(amount=index, old=np.where(known["awards"] == "Yes", "yes", "no"))


def _made_up(at: Any, one: Any, other: Any) -> dict[str, Any]:
    hashed = (at * 7919 + one * 31 + other * 17) % 1009
    amount = np.where(hashed % 23 == 0, np.nan, (hashed % 97 + one % 11 * 5) // 3 * 2.5)
    return {
        "old": np.where(hashed % 5 < 2, "yes", "no"),
        "red": np.where((hashed % 11 < 5) | (other % 3 == 0), "yes", "no"),
        "blue": np.where(hashed % 13 < 4, "yes", "no"),
        "amount": amount,
        "hours": hashed % 41 + one % 6,
    }


@cache
def drawn(strata: int = 12, clusters: int = 2) -> pd.DataFrame:
    """People of unlike clusters, some of unlike weights; four groups of strata."""
    # Only uniform numbers, which are the same in all versions of numpy.
    uniform = np.random.default_rng(20_260_711).random
    sizes = 12 + np.floor(uniform(strata * clusters) * 20).astype(int)
    psu = np.repeat(np.arange(strata * clusters), sizes)
    people, stratum = len(psu), psu // clusters
    of_cluster = uniform(strata * clusters)[psu]
    liking = 0.7 * uniform(people) + 0.3 * of_cluster
    answer = np.select([liking < 0.03, liking < 0.35, liking < 0.6], ["rare", "b", "c"], "d")
    answer = np.where(uniform(people) < 0.04, None, answer)
    flags = {name: np.where(uniform(people) + of_cluster < 0.9, "yes", "no") for name in FLAGS}
    amount = np.floor(uniform(people) * 40 + of_cluster * 25) * 2.5
    amount[uniform(people) < 0.05] = np.nan
    weight = np.round(0.4 + 3 * uniform(people) ** 2 + 0.5 * (stratum % 3), 4)
    return pd.DataFrame(
        {
            "answer": answer,
            "group": np.array(list("abcd"))[stratum * 4 // strata],
            **flags,
            "amount": amount,
            "hours": np.floor(uniform(people) * 30 + of_cluster * 12),
            "w": weight,
            "stratum": stratum,
            "psu": psu,
        }
    )


def replicated(factors: Any, frame: pd.DataFrame, digits: int = 8) -> pd.DataFrame:
    """With replicate weights: factors of each cluster's weights, float64[replicates, clusters]."""
    weights = np.round(frame["w"].to_numpy() * factors[:, frame["psu"].to_numpy()], digits)
    names = [f"rep{number + 1}" for number in range(len(factors))]
    return frame.join(pd.DataFrame(dict(zip(names, weights, strict=True))))


def halves(low: float, replicates: int = 16) -> pd.DataFrame:
    """Balanced half samples: one of the two clusters of each stratum weighs more than the other."""
    signs = hadamard(replicates)[:, 1:13]
    factors = np.stack([1 + (1 - low) * signs, 1 - (1 - low) * signs], axis=2)
    return replicated(factors.reshape(replicates, -1), drawn())


def without_one(strata: int = 5, clusters: int = 4) -> pd.DataFrame:
    """Jackknife: each leaves out one cluster, whose stratum's others weigh 4 ÷ 3."""
    number = np.arange(strata * clusters)
    same = number[:, None] // clusters == number // clusters
    factors = np.where(same, clusters / (clusters - 1), 1.0) * (1 - np.eye(len(number)))
    return replicated(factors, drawn(strata, clusters))


def bootstrap(replicates: int = 30, strata: int = 5, clusters: int = 4) -> pd.DataFrame:
    """Rao and Wu's: three of the four clusters of each stratum, with replacement."""
    uniform = np.random.default_rng(77).random((replicates, strata, clusters - 1))
    chosen = np.floor(uniform * clusters).astype(int)
    times = (chosen[..., None] == np.arange(clusters)).sum(axis=2)
    factors = times * clusters / (clusters - 1)
    return replicated(factors.reshape(replicates, -1), drawn(strata, clusters))


def successive(replicates: int = 24) -> pd.DataFrame:
    """Successive differences of clusters in order; their signs are made up, the weights rounded."""
    signs = np.where(np.random.default_rng(5).random((replicates, 25)) < 0.5, 1, -1)
    factors = 1 + 2**-1.5 * (signs[:, :-1] - signs[:, 1:])
    return replicated(factors, drawn(), digits=3)


CASES: dict[str, Case] = {
    "yrbs": Case(yrbs, {"strata": "stratum", "clusters": "psu"}),
    "apistrat": Case(apistrat, {"strata": "stratum", "fpc": "fpc"}),
    "apiclus2": Case(apiclus2, {"clusters": "psu", "fpc": "fpc"}),
    "weights": Case(drawn, {}),
    "BRR": Case(lambda: halves(0), {"replicate_method": "BRR"}),
    "Fay": Case(lambda: halves(0.3), {"replicate_method": "Fay", "fay": 0.3}),
    "JKn": Case(without_one, {"replicate_method": "JKn", "replicate_scales": (0.75,) * 20}),
    "bootstrap": Case(bootstrap, {"replicate_method": "bootstrap"}),
    "successive": Case(successive, {"replicate_method": "successive difference"}),
    "raked": Case(
        drawn,
        {"strata": "stratum", "clusters": "psu"},
        {"group": {"a": 300, "b": 250, "c": 280, "d": 270}, "old": {"yes": 450, "no": 650}},
    ),
}


if __name__ == "__main__":
    for name, case in CASES.items():
        case.frame().to_csv(Path(sys.argv[1]) / f"{name}.csv", index=False)
