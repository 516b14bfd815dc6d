"""Columns that may be the weight: what their names, labels and values say for and against it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from audiencelab.ingest.meaning.profile import ColumnProfile, is_number
from audiencelab.ingest.waves import MOST_WEIGHT

MOST_WITHOUT = 0.01
"""The share of respondents that a weight may leave out, since they have none."""

_WORD = (
    r"(weights?|weighting|wei|wts?|wgts?|wght|wtg|wgtv|gewicht(ung)?(sfaktor|svariable)?|gew|poids|"
    r"pesi?|peso|coef_?pond\w*|pond|pondera\w*|pondéra\w*|weeg(factor)?|weging(sfactor)?|vikt|"
    r"vægt|vekt|waga|wagi|ウェイト|ウエイト|重み|权重|權重|加权|加權|가중치|가중값)"
)
_WHICH = (
    r"(p|h|hh|hhold|household|person|pers|final|fin|post|poststrat|survey|svy|case|sample|samp|"
    r"sampling|pop|population|design|analysis|normed|normali[sz]ed|raked|rake|trimmed|adjusted|"
    r"full|total|resp|respondent|individual|indiv|adult|freq|frequency|base|combined|combin|within)"
)
_NAMED = re.compile(rf"({_WHICH}[_. ]?)*{_WORD}([_. ]?(factor|var))?[_. ]?(\d{{1,4}}|[a-z])?", re.I)
_PLAIN = re.compile(rf"{_WORD}\d?", re.I)
"""Names that a body weight may have as well."""

_OF_A_SURVEY = re.compile(rf"\b{_WHICH}[_. -]?{_WORD}|gewichtung", re.I)
"""Labels that a body weight does not have."""

_OF_BODIES = re.compile(
    r"(^|[\W_])(heights?|hgt|hght|stature|bmi|body_?mass|waist|gr(ö|oe)(ss|ß)e|taille|talla|altura|"
    r"estatura|statura|altezza|lengte|längd|wzrost|身長|身长|身高|키|신장)(?=$|[\W_\d])",
    re.I,
)
"""What is measured beside the weight of a body."""

_OF_HOUSEHOLDS = re.compile(r"^h+h?_?(old)?_?w(t|gt|eight)|household|haushalt|ménage|hogar", re.I)

_COUNTS = re.compile(
    r"n|f|counts?|cases|freq(uency|uencies)?|h(ä|ae)ufigkeit|anzahl|effectif|n_?obs", re.I
)
_NEAR_1 = (1 / 3, 3)
"""The means of weights that are scaled to respondents; newborns weigh more, in any unit."""

_POPULATION = 500
"""From this mean on weights are scaled to a population, and no body is as heavy."""

_LAST_CODE = 11
"""Codes of answers are integers from 0 or 1 to this at most, of which one may be missing."""

_LIKE = re.compile(rf"(^|[_. ]){_WHICH}?_?{_WORD}(?=$|[_. \d(])", re.I)
_KNOWN = re.compile(
    # CPS and ACS, also as IPUMS names them; NHANES, NHIS, BRFSS, MEPS, NSDUH, ATUS, SIPP, NAMCS
    r"wtfinl|hwtfinl|asecwt|asecwth|wtsupp|earnwt|marsupwt|a_fnlwgt|pwsswgt|pworwgt|pwlgwgt|"
    r"pwcmpwgt|hwhhwgt|perwt|hhwt|pwgtp|wgtp|wt(int|mec|saf|sa|sb|sc)(2|4)yr|wt(int|mec)prp|"
    r"wtdrd1|wtdr2d|sampweight|wtfa(_a|_sa|_sc)?|wtia(_a|_sa)?|[_x]*llcpwt|[_x]*finalwt|"
    r"perwt\d\df|analwt_?c?\d*|tufnwgtp|wt06|wt20|wpfinwgt|patwt|"
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


def share_of(part: int, whole: int) -> str:
    """A number of respondents and its share: 62,689 of 75,699 respondents (82.8%)."""
    share = 100 * part / max(1, whole)
    shown = "less than 0.1%" if 0 < share < 0.05 else f"{share:.1f}%"
    return f"{part:,} of {whole:,} respondents ({shown})"


def weight_code(name: str) -> str:
    """The argument that chooses a weight."""
    return f"weight={json.dumps(name, ensure_ascii=False)}"


@dataclass(frozen=True)
class Candidate:
    """A column that may be the weight. is_of_bodies: whether the file measures bodies, too."""

    column: ColumnProfile
    is_of_bodies: bool

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def without(self) -> int:
        """How many respondents have no value."""
        return self.column.rows - self.column.answered

    @cached_property
    def is_named_so(self) -> bool:
        """Whether a column is called a weight and may hold one, however bad."""
        column = self.column
        if not column.answers or column.labels or column.is_date:
            return False
        if column.calls(_MEASURED) and not _KNOWN.fullmatch(column.name):
            return False
        odd = sum(count for value, count in column.answers.items() if not is_number(value))
        # A few texts among weights are errors to report; mostly text is another column.
        if odd > column.answered / 2:
            return False
        # A name or a label may mention weights among other things: codes are more likely then.
        is_code = column.is_whole and len(column.answers) < 20
        return _is_named(column.name) or (column.calls(_LIKE) and not odd and not is_code)

    @property
    def is_labelled(self) -> bool:
        """Whether most of its values are the codes of a question."""
        answers = self.column.answers
        return len(answers) > 1 and len(answers.keys() & self.column.labels) > len(answers) / 2

    @property
    def is_codes(self) -> bool:
        """Whether it holds 1, 2, 3 and so on, as codes of answers do."""
        numbers = self.column.numbers
        if not self.column.is_whole or not numbers or len(numbers) == 1:
            return False
        low, high = min(numbers), max(numbers)
        return low in (0, 1) and high <= _LAST_CODE and high - low <= len(numbers)

    @property
    def may_count(self) -> bool:
        """Whether its name says that it weighs or counts respondents."""
        return bool(self.is_named_so or _COUNTS.fullmatch(self.name))

    @property
    def is_constant(self) -> bool:
        return len(self.column.answers) == 1

    @property
    def is_too_short(self) -> bool:
        """Whether more respondents have no value than a weight may leave out."""
        return self.without > MOST_WITHOUT * self.column.rows

    @property
    def is_of_a_part(self) -> bool:
        """Whether so many have no value or 0 that it is the weight of a part of the respondents."""
        zeros = (self.column.numbers or {}).get(0.0, 0)
        return self.without + zeros > MOST_WITHOUT * self.column.rows

    @property
    def is_of_households(self) -> bool:
        """Whether it weighs households and not persons."""
        return bool(self.column.calls(_OF_HOUSEHOLDS))

    @property
    def is_other(self) -> bool:
        """Whether it may well be something else than a weight of respondents."""
        if _is_named(self.name):
            return self._is_body or self.is_codes
        # Known by its label alone, it has to be scaled to respondents as well.
        return not 0.5 <= self._mean <= 2

    @property
    def defect(self) -> str | None:
        """What no weight may hold; None without."""
        numbers = self.column.numbers
        if numbers is None:
            odd = next(value for value in self.column.answers if not is_number(value))
            return f"it holds {odd[:40]!r}, which is not a number"
        if not numbers:
            return "it has no values"
        if min(numbers) < 0 or max(numbers) > MOST_WEIGHT:
            odd = min(numbers) if min(numbers) < 0 else max(numbers)
            return f"it holds {_text(odd)}, which cannot be a weight"
        return None

    @cached_property
    def problem(self) -> str | None:
        """Why it may not be the weight; None for a column that can be taken."""
        if self.defect:
            return self.defect
        if zero := (self.column.numbers or {}).get(0.0):
            return f"{share_of(zero, self.column.rows)} weigh 0"
        if self.without:
            return f"{share_of(self.without, self.column.rows)} have none"
        if self.is_codes:
            return f"{self.range}, which may be codes of answers"
        if self._is_body:
            return f"{self.range}, which may be the weight of a body"
        if self.is_other:
            return f"{self.range}, and not named like a survey weight alone"
        return None

    @property
    def alternative(self) -> str:
        """Why it was not chosen, or that it may be."""
        if self.defect or (self.problem and not self.without):
            return f"not {self.name}: {self.problem}"
        return f"or {self.name}: {self.range}{self.gaps}"

    @property
    def code(self) -> str:
        """The code that chooses it; "" where an import does not take it."""
        is_refused = self.defect or self.is_too_short
        return "" if is_refused else f"al.open(…, {weight_code(self.name)})"

    @property
    def offer(self) -> str:
        """What it holds, where no weight is chosen."""
        if self.defect:
            return f"{self.alternative}; once corrected, it can be chosen"
        if self.is_too_short:
            return self.alternative
        shown = f"{self.range}{self.gaps}" if self.without else self.problem or self.range
        return f"or {self.name}: {shown}"

    @property
    def gaps(self) -> str:
        if not self.without:
            return ""
        share = f"{100 * self.without / self.column.rows:.1f}%"
        return f"; {self.without:,} respondents have none, and are left out ({share})"

    @property
    def range(self) -> str:
        numbers = self.column.numbers
        if not numbers:
            return "not numbers alone"
        low, high, mean = (_text(each) for each in (min(numbers), max(numbers), self._mean))
        if len(numbers) == 1:
            return f"{low} for all respondents"
        return f"from {low} to {high}, about {mean} on average"

    @property
    def _is_body(self) -> bool:
        """Whether numbers under a plain name may be what bodies weigh."""
        if not _PLAIN.fullmatch(self.name) or _OF_A_SURVEY.search(self.column.variable.label):
            return False
        low, high = _NEAR_1
        is_scaled = low <= self._mean <= high
        is_population = self._mean >= _POPULATION and not self.is_of_bodies
        return not (self.is_constant or is_scaled or is_population)

    @cached_property
    def _mean(self) -> float:
        """The mean of the numbers, also where there is a text among them."""
        numbers = {value: each for value, each in self.column.answers.items() if is_number(value)}
        total = sum(float(number) * count for number, count in numbers.items())
        return total / max(1, sum(numbers.values()))


def measures_bodies(column: ColumnProfile) -> bool:
    """Whether a column is a height, a body mass index or a waist."""
    return bool(_OF_BODIES.search(column.name) and column.numbers and not column.labels)


def _is_named(name: str) -> bool:
    return bool(_NAMED.fullmatch(name) or _KNOWN.fullmatch(name))


def replicate_weights(columns: Mapping[str, ColumnProfile]) -> list[str]:
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


def _text(number: float) -> str:
    """A number with four significant digits: 0.4097, 2,004,000."""
    return f"{float(f'{number:.4g}'):,.12g}"
