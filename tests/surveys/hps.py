"""A codebook for the Household Pulse Survey, weeks 47 to 50, made from its `dictionary.json`.

    python -m tests.surveys.hps DIR     imports all four weeks into DIR

The survey's own dictionary gives names, wordings and codes; what is said here is structure:
which columns make one question, where numbers are cut into bands, how questions are filed.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from audiencelab.ingest import Codebook, import_survey, parse_codebook
from tests.surveys.data import HPS

SOURCES = tuple(sorted(HPS.glob("week*.parquet")))

WAVES = (
    ("w47", "Week 47", 47, "2022-06-29", "2022-07-11"),
    ("w48", "Week 48", 48, "2022-07-27", "2022-08-08"),
    ("w49", "Week 49", 49, "2022-09-14", "2022-09-26"),
    ("w50", "Week 50", 50, "2022-10-05", "2022-10-17"),
)

# What is no question: the header of the dictionary, identifiers, weights, the wave.
LEFT_OUT = {"Variable", "SCRAM", "WEEK", "PWEIGHT", "HWEIGHT"}

# Columns that share a question without sharing a numbered name: question → name, columns.
MULTIPLE = {
    "KIDS_AGES": ("Ages of children in the household", ["KIDS_LT5Y", "KIDS_5_11Y", "KIDS_12_17Y"]),
    "ENROLLED": (
        "Kinds of school that children are enrolled in",
        ["ENRPUBCHK", "ENRPRVCHK", "ENRHMSCHK", "ENROLLNONE"],
    ),
    "SCHLFDHLP": (
        "Help with school meals",
        ["SCHLFDHLP1", "SCHLFDHLP2", "SCHLFDHLP3", "SCHLFDHLP4", "NOSCHLFDHLP"],
    ),
    "TH_ADLT": ("Telehealth for adults", ["TH_ADLT_PHON", "TH_ADLT_VID"]),
    "TH_CHLD": ("Telehealth for children", ["TH_CHLD_PHON", "TH_CHLD_VID"]),
    "HLTHINS": ("Health insurance", [f"HLTHINS{number}" for number in range(1, 9)]),
}

GRIDS = {
    "PHQ4": ("Mood over the last two weeks", ["ANXIOUS", "WORRY", "INTEREST", "DOWN"]),
    "LIMITS": (
        "Limitations in everyday functions",
        ["SEEING", "HEARING", "REMEMBERING", "MOBILITY", "SELFCARE", "UNDERSTAND"],
    ),
    "ENERGY_COST": (
        "Hardship over the cost of energy in the last year",
        ["ENERGY", "HSE_TEMP", "ENRGY_BILL"],
    ),
    "KIDGETVAC": (
        "Likelihood of having children vaccinated",
        ["KIDGETVAC_LT5Y", "KIDGETVAC_5_11Y", "KIDGETVAC_12_17Y"],
    ),
}

# Numbers cut into bands: column → name, unit, lower bounds, greatest number.
BANDS: dict[str, tuple[str, str, list[int], int]] = {
    "THHLD_NUMPER": ("People in the household", "people", [1, 2, 3, 4, 5, 6], 40),
    "THHLD_NUMKID": ("Children in the household", "children", [0, 1, 2, 3, 4], 40),
    "THHLD_NUMADLT": ("Adults in the household", "adults", [1, 2, 3, 4], 40),
    "TENROLLPUB": ("Children in public school", "children", [0, 1, 2, 3], 40),
    "TENROLLPRV": ("Children in private school", "children", [0, 1, 2, 3], 40),
    "TENROLLHMSCH": ("Children taught at home", "children", [0, 1, 2, 3], 40),
    "TSPNDFOOD": (
        "Spent on groceries in a week",
        "dollars",
        [0, 50, 100, 150, 200, 300],
        900,
    ),
    "TSPNDPRPD": (
        "Spent on prepared meals in a week",
        "dollars",
        [0, 1, 25, 50, 100, 200],
        600,
    ),
    "TRENTAMT": ("Monthly rent", "dollars", [0, 500, 1000, 1500, 2000, 3000], 99_999),
    "TMNTHSBHND": (
        "Months behind with rent or mortgage",
        "months",
        [0, 1, 2, 3, 6],
        48,
    ),
    "TNUM_PS": ("Members planning classes after school", "people", [0, 1, 2, 3], 40),
    "TCCARECOST": (
        "Paid for childcare in a week",
        "dollars",
        [0, 1, 100, 250, 500],
        3000,
    ),
}

# Age is not in the files; these years of birth make the bands of mid-2022.
AGES = (
    ("18 to 24", 1998, 2004), ("25 to 34", 1988, 1997), ("35 to 44", 1978, 1987),
    ("45 to 54", 1968, 1977), ("55 to 64", 1958, 1967), ("65 and over", 1900, 1957),
)  # fmt: skip

# Sections of the questionnaire by the beginning of a question's number, the first that fits.
SECTIONS = (
    ("VAC|PASC|TREAT", "2", "COVID-19"), ("EMP", "3", "Work"),
    ("SPN|INFLATE|Q2|GAS|INC", "4", "Money"), ("FD|INF", "5", "Food"),
    ("HLTH|DIS", "6", "Health"), ("HSE", "7", "Home"),
    ("K12ED|ED|CCARE", "8", "Children and education"), ("RIDE", "9", "Getting about"),
    ("-", "10", "Place and processing"), ("", "1", "People and household"),
)  # fmt: skip


# Three variables are missing from the dictionary, and the variable before each has its codes. These
# are the codes of the Census Bureau's own dictionary: column → codes, and the column after it.
MENDED = {
    "WHENCOVID": {"1": "Within the last four weeks", "2": "More than four weeks ago", "3": "Both"},
    "RSNNOTREAT3": {"1": "I am not a member of a high-risk group"},
    "RSNNOTREAT7": {"1": "I didn’t think these treatments were effective"},
}
MISSING = {
    "WHENCOVID": ("TREATORAL", "Received oral antiviral medications"),
    "RSNNOTREAT3": ("RSNNOTREAT4", ""),
    "RSNNOTREAT7": ("RSNNOTREAT8", ""),
}

NAMES = {
    "KIDBHVR": "Behaviour of children in the last four weeks",
    "REGION": "Region",
    "PRIVHLTH": "Private health insurance",
    "PUBHLTH": "Public health insurance",
}


@cache
def dictionary() -> dict[str, dict[str, Any]]:
    """The survey's own dictionary, by column, mended."""
    mended: dict[str, dict[str, Any]] = {}
    for column, about in json.loads((HPS / "dictionary.json").read_text("utf-8")).items():
        mended[column] = about
        if column in MENDED:
            mended[column] = about | {"codes": MENDED[column]}
            missing, description = MISSING[column]
            mended[missing] = about | {"description": description or about["description"]}
    return mended


def make_hps_codebook() -> Codebook:
    """The codebook of weeks 47 to 50, all variables but identifiers and weights."""
    return parse_codebook(
        {
            "study": {
                "name": "Household Pulse Survey, weeks 47 to 50",
                "description": "US Census Bureau, public use files, 29 June to 17 October 2022.",
                "location": "EST_ST",
            },
            "source": {"not_asked": [-88], "not_selected": [-99]},
            "weight": {"column": "PWEIGHT"},
            "wave": {"column": "WEEK"},
            "waves": [
                {"code": code, "name": name, "value": week, "starts": starts, "ends": ends}
                for code, name, week, starts, ends in WAVES
            ],
            "categories": [
                {"id": id_, "name": name, "order": int(id_)} for _, id_, name in SECTIONS
            ],
            "datasets": [
                {"code": "hps", "name": "Household Pulse Survey", "base_namespace_code": "core",
                 "base_audience_label": "Adults aged 18+", "depth": 0, "order": 1}
            ],
            "questions": list(_questions()),
        },
        "the codebook of the Household Pulse Survey",
    )  # fmt: skip


def _questions() -> Iterator[dict[str, Any]]:
    """Every question, where its first column stands in the dictionary."""
    families = dict(_families())
    first = {columns[0]: code for code, (_, columns) in families.items()}
    first |= {columns[0]: code for code, (_, columns) in GRIDS.items()}
    inside = {column for _, columns in (families | GRIDS).values() for column in columns}
    for column in dictionary():
        if column in LEFT_OUT:
            continue
        if column in first:
            code = first[column]
            yield _grid(code) if code in GRIDS else _multiple(code, *families[code])
        elif column == "TBIRTH_YEAR":
            yield _age()
        elif column in BANDS:
            yield _banded(column)
        elif column not in inside:
            yield _single(column)


def _families() -> Iterator[tuple[str, tuple[str, list[str]]]]:
    """Multiple questions: those above, and numbered columns whose only code is 1, selected."""
    yield from MULTIPLE.items()
    taken = {column for _, columns in MULTIPLE.values() for column in columns}
    numbered: dict[str, list[str]] = {}
    for column, about in dictionary().items():
        stem = re.sub(r"\d+$", "", column)
        if stem != column and column not in taken and set(_codes(about)) == {"1"}:
            numbered.setdefault(stem, []).append(column)
    for stem, columns in numbered.items():
        yield stem, (_family_name(columns), columns)


def _family_name(columns: list[str]) -> str:
    """What the columns' descriptions have in common."""
    described = [_clean(dictionary()[column]["description"]) for column in columns]
    shared = described[0]
    while not all(each.startswith(shared) for each in described):
        shared = shared.rpartition(" ")[0]
    return shared.strip(" -") or described[0]


def _common(column: str, code: str, name: str) -> dict[str, Any]:
    about = dictionary()[column]
    section = next(id_ for start, id_, _ in SECTIONS if re.match(start, about["instrument"]))
    return {
        "code": code,
        "name": NAMES.get(code, name),
        "categories": [section],
        "description": _clean(about["wording"]),
        "knowledge_base": f"Universe: {_clean(about['universe'])}" if about["universe"] else "",
    }


def _single(column: str) -> dict[str, Any]:
    about = dictionary()[column]
    return _common(column, column, _clean(about["description"])) | {
        "kind": "single",
        "column": column,
        "datapoints": [
            {"name": name, "value": value, "code": f"{column}_{value}"}
            for value, name in (_places(about) if not about["codes"] else _codes(about)).items()
        ],
    }


def _multiple(code: str, name: str, columns: list[str]) -> dict[str, Any]:
    return _common(columns[0], code, name) | {
        "kind": "multiple",
        "selected": [1],
        # "No" in the insurance list, where every line had a yes and a no.
        "not_selected": [-99, 2],
        "datapoints": [
            {"name": _item(column), "column": column, "code": f"{code}_{_number(column, place)}"}
            for place, column in enumerate(columns, start=1)
        ],
    }


def _item(column: str) -> str:
    return re.sub(r"^Category marked\s*-\s*", "", _codes(dictionary()[column])["1"])


def _number(column: str, place: int) -> str:
    digits = re.search(r"\d+$", column)
    return digits.group() if digits else str(place)


def _grid(code: str) -> dict[str, Any]:
    name, columns = GRIDS[code]
    return _common(columns[0], code, name) | {
        "kind": "grid",
        "datapoints": [
            {
                "name": _clean(dictionary()[column]["description"]),
                "column": column,
                "code": f"{code}_{place}",
            }
            for place, column in enumerate(columns, start=1)
        ],
        "suffixes": [
            {"name": label, "value": value}
            for value, label in _codes(dictionary()[columns[0]]).items()
        ],
    }


def _age() -> dict[str, Any]:
    return _common("TBIRTH_YEAR", "AGE", "Age") | {
        "kind": "single",
        "column": "TBIRTH_YEAR",
        "unit": "years",
        "datapoints": [
            {"name": name, "min": low, "max": high, "midpoint": 2022 - (max(low, 1934) + high) / 2}
            for name, low, high in AGES
        ],
    }


def _banded(column: str) -> dict[str, Any]:
    name, unit, bounds, most = BANDS[column]
    ends = [*(low - 1 for low in bounds[1:]), most]
    return _common(column, column, name) | {
        "kind": "single",
        "column": column,
        "unit": unit,
        "datapoints": [
            {"name": _band(low, high, most), "min": low, "max": high, "midpoint": (low + high) / 2}
            for low, high in zip(bounds, ends, strict=True)
        ],
    }


def _band(low: int, high: int, most: int) -> str:
    if high == most:
        return f"{low} or more"
    return f"{low}" if low == high else f"{low} to {high}"


def _codes(about: dict[str, Any]) -> dict[str, str]:
    """The codes that mean an answer; negative ones mean that there is none."""
    return {value: _clean(name) for value, name in about["codes"].items() if value[0] != "-"}


def _places(about: dict[str, Any]) -> dict[str, str]:
    """States and metropolitan areas, which the dictionary lists in a way of their own."""
    listed = re.findall(r"(\d+)'\s*=\s*'?([^'\n]+)", about["values"])
    return {str(int(value)): name.strip() for value, name in listed}


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


if __name__ == "__main__":
    print(import_survey(SOURCES, make_hps_codebook(), sys.argv[1], replace=True))
