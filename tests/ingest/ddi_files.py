"""Write codebooks of DDI and the data beside them, as archives do, from frames of numbers."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np
import pandas as pd

NAMESPACE = "ddi:codebook:2_5"
MISSING = 'missing="Y"'


@dataclass(frozen=True)
class Var:
    """A variable of a codebook, and how wide it is in a line.

    categories: labels by code as written. codes: lines of coding instructions. extra: more XML.
    """

    name: str
    width: int
    label: str = ""
    decimals: int = 0
    categories: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: Sequence[str] = ()
    codes: str = ""
    text: str = ""
    extra: str = ""
    attributes: str = ""
    kind: str = "numeric"


def var_xml(var: Var, start: int) -> str:
    """The element of a variable that begins at a position; 0 for none."""
    end = start + var.width - 1
    location = f'<location StartPos="{start}" EndPos="{end}" width="{var.width}"/>' if start else ""
    categories = "".join(
        f"<catgry {MISSING if code in var.missing else ''}><catValu>{code}</catValu>"
        f"<labl>{escape(label)}</labl></catgry>"
        for code, label in var.categories.items()
    )
    codes = f"<codInstr><![CDATA[{var.codes}]]></codInstr>" if var.codes else ""
    text = f"<txt><![CDATA[{var.text}]]></txt>" if var.text else ""
    return (
        f"<var ID={quoteattr(var.name)} name={quoteattr(var.name)} "
        f'dcml="{var.decimals}" files="F1" {var.attributes}>{location}'
        f"<labl>{escape(var.label)}</labl>{text}{categories}{codes}{var.extra}"
        f'<concept vocab="IPUMS"/><varFormat type="{var.kind}" schema="other"/></var>'
    )


def codebook_xml(
    variables: Sequence[Var],
    data: str,
    *,
    title: str = "User Extract",
    structure: str = '<fileStrc type="rectangular"/>',
    namespace: str = NAMESPACE,
    positions: bool = True,
) -> str:
    """A codebook of one file."""
    start, found = 1, ""
    for each in variables:
        found += var_xml(each, start if positions else 0) + "\n"
        start += each.width
    declared = f' xmlns="{namespace}"' if namespace else ""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<codeBook version="2.5"{declared}>'
        f"<stdyDscr><citation><titlStmt><titl>{title}</titl></titlStmt></citation></stdyDscr>"
        f'<fileDscr ID="F1"><fileTxt><fileName>{data}</fileName>{structure}'
        f'<fileType charset="ISO-8859-1"/></fileTxt></fileDscr>\n<dataDscr>{found}</dataDscr>'
        "</codeBook>"
    )


def lines_of(frame: pd.DataFrame, variables: Sequence[Var]) -> str:
    """Lines of fixed positions: zeros before numbers, and no decimal point."""
    lines: list[str] = []
    for row in frame[[each.name for each in variables]].itertuples(index=False):
        cells = [
            " " * var.width
            if pd.isna(value)
            else str(value).ljust(var.width)
            if var.kind == "character"
            else f"{round(value * 10**var.decimals):0{var.width}d}"
            for value, var in zip(row, variables, strict=True)
        ]
        lines.append("".join(cells) + "\n")
    return "".join(lines)


def extract(
    folder: Path, name: str, frame: pd.DataFrame, variables: Sequence[Var], suffix: str = ".dat.gz"
) -> Path:
    """A codebook and the data beside it; returns the path of the codebook."""
    path = folder / f"{name}.xml"
    path.write_text(codebook_xml(variables, f"{name}.dat"), "utf-8")
    data = folder / f"{name}{suffix}"
    if ".csv" in suffix:
        frame[[each.name for each in variables]].to_csv(data, index=False)
        return path
    packed = lines_of(frame, variables).encode("latin-1")
    data.write_bytes(gzip.compress(packed) if suffix.endswith(".gz") else packed)
    return path


# ---- two extracts like those of IPUMS ----

CPS = (
    Var("YEAR", 4, "Survey year", text="YEAR reports the year.\n\n" + "A page of prose. " * 80),
    Var("SERIAL", 5, "Household serial number"),
    Var("ASECWTH", 11, "Household weight", 4),
    Var("STATEFIP", 2, "State (FIPS code)", categories={"01": "Alabama", "06": "California"}),
    Var("PERNUM", 2, "Person number in sample unit"),
    Var("ASECWT", 11, "Person weight", 4),
    *(Var(f"REPWTP{number}", 9, "Replicate weight", 4) for number in range(1, 11)),
    Var(
        "EDUC",
        3,
        "Educational attainment",
        categories={
            "000": "NIU or no schooling",
            "001": "NIU or blank",
            "073": "High school diploma",
            "111": "Bachelor's degree",
            "999": "Missing/Unknown",
        },
    ),
    Var("HEALTH", 1, "Health", categories=dict(zip("123", ("Good", "Fair", "Poor"), strict=True))),
    Var(
        "INCTOT",
        9,
        "Total personal income",
        codes="Codes999999999 = N.I.U.\n999999998 = Missing. (1962-1964 only)\nValues can be "
        "negative.\n\n1999 amounts are not adjusted.",
    ),
)


def cps(rows: int = 1_200) -> pd.DataFrame:
    """Persons with state, weights, education and income; children are not in the universe."""
    random = np.random.default_rng(7)
    serial = np.sort(random.integers(1, rows // 2, rows))
    weight = np.round(random.uniform(200, 4_000, rows), 4)
    child = random.random(rows) < 0.25
    frame = pd.DataFrame(
        {
            "YEAR": 2_019,
            "SERIAL": serial,
            "ASECWTH": np.round(1_000 + serial % 97 / 7, 4),
            "STATEFIP": random.choice([1, 6], rows, p=[0.3, 0.7]),
            "PERNUM": random.integers(1, 12, rows),
            "ASECWT": weight,
            "EDUC": np.where(
                child, 1, random.choice([0, 73, 111, 999], rows, p=[0.1, 0.5, 0.35, 0.05])
            ),
            "HEALTH": random.integers(1, 4, rows),
            "INCTOT": np.where(
                child,
                999_999_999,
                np.where(
                    random.random(rows) < 0.01, 999_999_998, random.integers(-9_000, 90_000, rows)
                ),
            ),
        }
    )
    factors = {
        f"REPWTP{number}": np.round(weight * random.uniform(0.5, 1.5, rows), 4)
        for number in range(1, 11)
    }
    return frame.assign(**factors)


USA = (
    Var("YEAR", 4, "Census year", categories={"2003": "2003", "2005": "2005"}),
    Var("PERWT", 10, "Person weight", 2),
    Var("REGION", 2, "Region", categories={"11": "New England", "41": "Mountain"}),
    Var("AGE", 3, "Age", categories={"000": "Less than 1 year old", "001": "1", "135": "135"}),
    Var(
        "EMPSTAT",
        1,
        "Employment",
        categories=dict(zip("012", ("N/A", "Employed", "Not"), strict=True)),
    ),
    Var(
        "SPEAKENG",
        1,
        "Speaks English",
        categories={"0": "N/A (Blank)", "1": "Does not speak", "3": "Yes", "8": "Illegible"},
    ),
    Var(
        "VALUEH",
        7,
        "House value",
        codes="VALUEH specific codes.\n0000000 = N/A (1930)\n9999998 = Missing (1940 100%)\n"
        "9999999 = Missing (1930), N/A (1940-2000, ACS, and PRCS)\n0000001 = $1 or less",
    ),
    Var(
        "BMI", 4, "Body mass index", 2, codes="BMI has four columns.\n\n0000:\tNIU\n9999:\tUnknown"
    ),
    Var(
        "VIG10FWK",
        2,
        "Times a week of exercise",
        codes="00: Not in Universe\n94: Less than once per week\n95: Never\n96: Unable to do it\n"
        "97: Unknown-refused\n98: Unknown-not ascertained\n99: Unknown-don't know",
    ),
)


def usa(rows: int = 1_200) -> pd.DataFrame:
    """Persons in two years, with house values and body mass indices of some of them."""
    random = np.random.default_rng(11)
    bmi = np.round(random.uniform(15, 45, rows), 2)
    return pd.DataFrame(
        {
            "YEAR": random.choice([2_003, 2_005], rows),
            "PERWT": np.round(random.uniform(20, 300, rows), 2),
            "REGION": random.choice([11, 41], rows),
            "AGE": random.integers(0, 95, rows),
            "EMPSTAT": random.integers(0, 3, rows),
            "SPEAKENG": random.choice([0, 1, 3, 8], rows),
            "VALUEH": np.where(
                random.random(rows) < 0.3,
                9_999_999,
                np.where(random.random(rows) < 0.05, 0, random.integers(20_000, 900_000, rows)),
            ),
            "BMI": np.where(
                random.random(rows) < 0.2, 0.0, np.where(random.random(rows) < 0.1, 99.99, bmi)
            ),
            "VIG10FWK": random.choice([*range(22), 94, 95, 96, 97, 99], rows),
        }
    )
