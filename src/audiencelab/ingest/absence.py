"""Labels of missing values that say that the respondent was not asked."""

from __future__ import annotations

import re

__all__ = ["says_not_asked"]

_NOT_ASKED = re.compile(
    r"\b(iap|inap|inapplicable|niu|not (applicable|asked|available|administered|fielded)"
    r"|not in (the )?(universe|sample|wave|year|questionnaire)"
    r"|skip(s|ped)?|filtered( out)?|routed( out)?"
    r"|trifft nicht zu|nicht (gefragt|erhoben)|sans objet|non concern[ée]e?s?"
    r"|no (aplica|procede))\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"refus|no (answer|response|opinion)|(don.?t|do not|didn.?t) know|\bdk\b|unsure",
    re.IGNORECASE,
)


def says_not_asked(label: str) -> bool:
    """Whether the label of a missing value says that the question was not asked.

    A label that also says something else, such as "Don't know / not applicable", does not.
    """
    return bool(_NOT_ASKED.search(label)) and not _ASKED.search(label)
