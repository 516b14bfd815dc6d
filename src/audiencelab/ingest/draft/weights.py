"""The weight of a survey: the column that the file declares, else the only one that can be it.

A weight affects every figure, so a doubtful one is never taken: an error lists the candidates.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import UNSET, UnsetType

from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.waves import MOST_WEIGHT
from audiencelab.survey.errors import SurveyError

MOST_WITHOUT = 0.01
"""The share of respondents that a weight may leave out, since they have none."""

_WORD = r"(weights?|weighting|wei|wts?|wgts?|wght|wtg|wgtv|gewicht|poids|peso|pondera\w*)"
_WHICH = (
    r"(p|h|hh|hhold|household|person|pers|final|fin|post|poststrat|survey|svy|case|sample|samp|"
    r"sampling|pop|population|design|analysis|normed|normali[sz]ed|raked|rake|trimmed|adjusted|"
    r"full|total|resp|respondent|individual|indiv|adult|freq|frequency|base|combined|combin|within)"
)
_NAMED = re.compile(rf"({_WHICH}[_. ]?)*{_WORD}([_. ]?(factor|var))?[_. ]?(\d{{1,4}}|[a-z])?", re.I)
_PLAIN = re.compile(rf"{_WORD}\d?", re.I)
"""Names that a body weight may have as well."""

_LIKE = re.compile(rf"(^|[_. ]){_WHICH}?_?{_WORD}(?=$|[_. \d(])", re.I)
_KNOWN = re.compile(
    # CPS and ACS, also as IPUMS names them; NHANES, NHIS, BRFSS, MEPS, NSDUH, ATUS, SIPP
    r"wtfinl|hwtfinl|asecwt|asecwth|wtsupp|earnwt|marsupwt|a_fnlwgt|pwsswgt|pworwgt|pwlgwgt|"
    r"pwcmpwgt|hwhhwgt|perwt|hhwt|pwgtp|wgtp|wt(int|mec|saf|sa|sb|sc)(2|4)yr|wt(int|mec)prp|"
    r"wtdrd1|wtdr2d|sampweight|wtfa(_a|_sa|_sc)?|wtia(_a|_sa)?|[_x]*llcpwt|[_x]*finalwt|"
    r"perwt\d\df|analwt_?c?\d*|tufnwgtp|wt06|wt20|wpfinwgt|"
    # ESS, EVS and WVS, ISSP, Afrobarometer, Latinobarómetro, LAPOP, CSES, Eurobarometer, EU-LFS
    r"pspwght|pweight|dweight|anweight|gweight|w_weight|s01[789]a?|combinwt|withinwt(_hh|_ea)?|"
    r"weight1500|coeff|rb050|pb040|"
    # GSS, ANES, Pew
    r"wtss(all|nr|ps|nrps)?|formwt|v160101f?|v160102f?|v200010[ab]|v24010[78][ab]|vcf00(09|10|11)"
    r"[xyz]|llweight|cellweight|standwt|"
    # PISA, TIMSS, PIAAC; SOEP, Understanding Society, HRS, SHARE, ALLBUS, DHS and MICS
    r"w_fstuwt|w_fsenwt|totwgt|houwgt|senwgt|spfwt0|[a-z]{0,2}phrf|[a-z]{0,2}hhrf|[a-z]_ind\w+_[xl]w|"
    r"r?\d*wtresp|cciw\w*|cchw\w*|wght(pew|ht|hew)|(wm|ch|mn)weight|"
    r"w|pw|popwt|pwt\d*|fweight|aweight|iweight|wtfactor|expansion_?factor|fac(tor)?_?exp\w*",
    re.I,
)
_MEASURED = re.compile(
    r"(^|[\W_])(kgs?|kilos?|kilograms?|lbs?|pounds?|stones?|grams?|body|birth|baby|weigh|loss|lost|"
    r"lose|losing|gain|gained|overweight|shoes|bmi|desired|ideal)(?=$|[\W_\d])|^bmxwt$|^b(irth)?wt$|"
    r"^wt(kg|lbs?|desire)\d?$|^weight(kg|lbs?)?2$",
    re.I,
)
_NUMBERED = re.compile(r"(.*?)(\d+)")
_REPLICATE = re.compile(r"(rep|r|jk|brr|boot\w*|f)_?(wgt|wt|weight)[a-z]?$", re.I)
_REPLICATES = 8
"""This many weights of one stem and a number are replicate weights, for variances."""


@dataclass(frozen=True)
class WeightChoice:
    """The column of the weight, or None; why; and the columns that make no question for it.

    without: how many respondents have no weight. others: further weights that were asked for.
    """

    column: str | None
    reasons: list[str]
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    without: int = 0
    others: tuple[str, ...] = ()


def share_of(part: int, whole: int) -> str:
    """A number of respondents and its share: 62,689 of 75,699 respondents (82.8%)."""
    return f"{part:,} of {whole:,} respondents ({100 * part / max(1, whole):.1f}%)"


def choose_weight(
    columns: Mapping[str, ColumnProfile],
    *,
    given: str | Sequence[str] | UnsetType | None = UNSET,
    declared: Sequence[str] = (),
    origin: str,
    strict: bool = True,
) -> WeightChoice:
    """The weight of a survey.

    given: the column that was asked for, or several, the usual one first; None for no weight.
    declared: what the files declare. origin: the source, for messages.

    Raises `SurveyError` where no column can be taken for sure; if not `strict`, the survey is
    unweighted then, and the reasons list what may be the weight.
    """
    replicates = _replicates(columns)
    candidates = [
        column for name, column in columns.items() if name not in replicates and _may_be(column)
    ]
    left_out = dict.fromkeys(replicates, "a replicate weight")
    # What may be the weight of a body makes a question; weights of respondents do not.
    weights = [each.name for each in candidates if not _is_other(each)]
    if given is None:
        left_out |= dict.fromkeys(weights, "a weight that was not asked for")
        return WeightChoice(None, ["no weight, as asked for: all weigh 1"], left_out)
    others: list[ColumnProfile] = []
    if given is not UNSET:
        named = [given] if isinstance(given, str) else given
        if missing := [name for name in named if name not in columns]:
            raise SurveyError(
                f"There is no column {missing[0]!r} for the weight.{_advice(candidates)}"
            )
        chosen, *others = [columns[name] for name in dict.fromkeys(named)]
        why = f"{chosen.name}: asked for"
    else:
        try:
            guessed = _guess(columns, declared, candidates)
        except _DoubtfulError as doubt:
            if strict:
                raise SurveyError(f"{origin}: {doubt.why}.{_advice(doubt.columns)}") from None
            left_out |= dict.fromkeys(weights, "a weight that was not asked for")
            none = f"no weight, all weigh 1: {doubt.why}"
            return WeightChoice(None, [none, *map(_alternative, doubt.columns)], left_out)
        if guessed is None:
            none = "no weight: no column is named like one; all weigh 1"
            return WeightChoice(None, [none], left_out)
        chosen, why = guessed
    reasons = [why + _without(chosen)]
    reasons += [
        f"{other.name}: asked for too; weight={other.name!r} in a query chooses it"
        for other in others
    ]
    taken = [chosen.name, *(other.name for other in others)]
    reasons += [_alternative(other) for other in candidates if other.name not in taken]
    left_out |= dict.fromkeys(weights, "another weight") | dict.fromkeys(taken, "a weight")
    without = chosen.rows - chosen.answered
    return WeightChoice(chosen.name, reasons, left_out, without, tuple(taken[1:]))


class _DoubtfulError(Exception):
    """No weight can be taken for sure. columns: what it may be."""

    def __init__(self, why: str, columns: Sequence[ColumnProfile]) -> None:
        super().__init__(why)
        self.why = why
        self.columns = columns


def _guess(
    columns: Mapping[str, ColumnProfile],
    declared: Sequence[str],
    candidates: Sequence[ColumnProfile],
) -> tuple[ColumnProfile, str] | None:
    """The weight where none was asked for, and why it is; None without a candidate."""
    if found := _declared(columns, declared, candidates):
        return found, f"{found.name}: the file declares it; {_range(found)}"
    if not candidates:
        return None
    fit = [column for column in candidates if _problem(column) is None]
    # A constant one only if there is no other.
    fit = [column for column in fit if len(column.answers) > 1] or fit
    if len(fit) != 1:
        count = "several columns may be the weight" if fit else "no column is fit for a weight"
        raise _DoubtfulError(count, candidates)
    return fit[0], f"{fit[0].name}: named like a weight, {_range(fit[0])}"


def _declared(
    columns: Mapping[str, ColumnProfile],
    declared: Sequence[str],
    candidates: Sequence[ColumnProfile],
) -> ColumnProfile | None:
    """The column that the files declare to be the weight."""
    by_name = {name.lower(): column for name, column in columns.items()}
    found = {name.lower(): by_name[name.lower()] for name in declared if name.lower() in by_name}
    if not found:
        return None
    if len(found) > 1:
        raise _DoubtfulError("the files declare different weights", [*found.values()])
    [column] = found.values()
    without = column.rows - column.answered
    if without > MOST_WITHOUT * column.rows:
        others = [column, *(each for each in candidates if each.name != column.name)]
        why = (
            f"the weight that the file declares, {column.name}, leaves out "
            f"{share_of(without, column.rows)}: they have none"
        )
        raise _DoubtfulError(why, others)
    return column


def _alternative(column: ColumnProfile) -> str:
    """Why a candidate was not chosen, or that it may be."""
    numbers, problem = column.numbers, _problem(column)
    is_incomplete = not column.is_full and numbers is not None and min(numbers) > 0
    if problem and not is_incomplete:
        return f"not {column.name}: {problem}"
    return f"or {column.name}: {_range(column)}{_without(column)}"


def _without(column: ColumnProfile) -> str:
    without = column.rows - column.answered
    if not without:
        return ""
    share = f"{100 * without / column.rows:.1f}%"
    return f"; {without:,} respondents have none, and are left out ({share})"


def _advice(candidates: Sequence[ColumnProfile]) -> str:
    """The candidates, a line each, and what to write."""
    lines = [f"\n  {each.name}: {_problem(each) or _range(each)}" for each in candidates]
    return "".join(lines) + (
        '\nChoose the weight: al.open(…, weight="COLUMN"), or weight=None for no weight.'
    )


# ---- what may be a weight, and what is wrong with one ----


def _may_be(column: ColumnProfile) -> bool:
    """Whether a column is called a weight and may hold one, however bad."""
    if not column.answers or column.labels or column.is_date:
        return False
    if column.calls(_MEASURED) and not _KNOWN.fullmatch(column.name):
        return False
    odd = sum(count for value, count in column.answers.items() if not is_number(value))
    if odd > column.answered / 2:
        return False
    # A name or a label may mention weights among other things: codes are more likely then.
    is_code = column.is_whole and len(column.answers) < 20
    return _is_named(column.name) or (column.calls(_LIKE) and not odd and not is_code)


def _is_named(name: str) -> bool:
    return bool(_NAMED.fullmatch(name) or _KNOWN.fullmatch(name))


def _replicates(columns: Mapping[str, ColumnProfile]) -> list[str]:
    """Weights of one stem and a number, many of them: PWGTP1 … PWGTP80."""
    stems: dict[str, str] = {}
    for name, column in columns.items():
        found = _NUMBERED.fullmatch(name)
        bare = found[1].rstrip("_.") if found else ""
        is_weight = len(bare) > 1 and (_is_named(bare) or _REPLICATE.search(bare))
        if found and is_weight and not column.labels:
            stems[name] = found[1].lower()
    often = Counter(stems.values())
    return [name for name, stem in stems.items() if often[stem] >= _REPLICATES]


def _problem(column: ColumnProfile) -> str | None:
    """Why a column may not be the weight; None for one that can be taken."""
    numbers = column.numbers
    if numbers is None:
        odd = next(value for value in column.answers if not is_number(value))
        return f"it holds {odd[:40]!r}, which is not a number"
    if not numbers:
        return "it has no values"
    if min(numbers) < 0 or max(numbers) > MOST_WEIGHT:
        odd = min(numbers) if min(numbers) < 0 else max(numbers)
        return f"it holds {_text(odd)}, which cannot be a weight"
    if zero := numbers.get(0.0):
        return f"{share_of(zero, column.rows)} weigh 0"
    if not column.is_full:
        return f"{share_of(column.rows - column.answered, column.rows)} have none"
    if _is_body(column):
        return f"{_range(column)}, as bodies weigh in kilograms or pounds"
    if _is_other(column):
        return f"{_range(column)}, and not named like a survey weight alone"
    return None


def _is_body(column: ColumnProfile) -> bool:
    """Whether numbers under a plain name look like body weights, and not like survey weights."""
    numbers = column.numbers
    if not _PLAIN.fullmatch(column.name) or not numbers or len(numbers) < 2:
        return False
    return min(numbers) >= 20 and max(numbers) <= 500 and 40 <= _mean(numbers) <= 250


def _is_other(column: ColumnProfile) -> bool:
    """Whether it may well be something else than a weight of respondents."""
    if _is_named(column.name):
        return _is_body(column)
    return not 0.5 <= _mean(column.numbers or {}) <= 2


def _mean(numbers: Mapping[float, int]) -> float:
    total = sum(number * count for number, count in numbers.items())
    return total / max(1, sum(numbers.values()))


def _range(column: ColumnProfile) -> str:
    numbers = column.numbers
    if not numbers:
        return "not numbers alone"
    low, high, mean = (_text(each) for each in (min(numbers), max(numbers), _mean(numbers)))
    if len(numbers) == 1:
        return f"{low} for all respondents"
    return f"from {low} to {high}, about {mean} on average"


def _text(number: float) -> str:
    """A number with four significant digits: 0.4097, 2,004,000."""
    return f"{float(f'{number:.4g}'):,.12g}"
