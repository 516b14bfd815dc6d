"""Figures derived from a result alone: nets, boxes, scores, averages, moving averages.

They add answers up, so they need answers that no respondent gives together: `columns` finds out
whether that is so, and refuses otherwise, since the service can count such people exactly.
Results open these rooms with methods of their own; nothing here sends a request. `correspondence`
adds nothing up: it lays the rows and columns of a crosstab out as points.

Rooms: `columns` the answers of each column and whether they are disjoint, `nets` subtotals and
scores, `row_nets` the same of a crosstab's rows, `rebased` percentages of those who answered,
`responses` of all answers given, `averages` mean, median and spread from midpoints, `moving`
figures over several waves, `quantiles` groups of about as many people, `correspondence` a crosstab
as points.
"""

from audiencelab.analysis.averages import Midpoints, averages
from audiencelab.analysis.disjointness import OverlappingAnswers
from audiencelab.analysis.moving_average import moving_average
from audiencelab.analysis.nets import boxes, net_score, nets
from audiencelab.analysis.rebase import rebased_to_answered
from audiencelab.analysis.row_nets import row_boxes, row_nets, row_score
from audiencelab.analysis.share_of_responses import shares_of_responses

__all__ = [
    "Midpoints",
    "OverlappingAnswers",
    "averages",
    "boxes",
    "moving_average",
    "net_score",
    "nets",
    "rebased_to_answered",
    "row_boxes",
    "row_nets",
    "row_score",
    "shares_of_responses",
]
