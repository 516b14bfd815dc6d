"""The engine: audiences over a survey as bit masks, and exact weighted tables of them.

`Engine(survey)` answers `StatsSpec`, `CrosstabSpec` and `ProfileSpec`. It knows no JSON, no
audience names and no limits; the service does.

Rooms: `binding` expressions bound to a survey, coverage; `masks` the one evaluator; `kernel` the
one multiplication; `tables` what cells mean, over effective waves; `sums` the seam between that
and who adds up; `local` this machine; `metrics` every formula; `stats`, `profile` and `engine`
answer what `queries` can ask; `variance` how sure its shares are; `codes` what a query may name;
`bits`, `squeeze`, `cache` and `waves` their tools.
"""

from audiencelab.engine.codes import CodeFault, Codes, UnknownCodeError
from audiencelab.engine.engine import Engine
from audiencelab.engine.profile import ProfileSpec, ProfileStripe
from audiencelab.engine.queries import CrosstabSpec, CrosstabStripe, StatsRow, StatsSpec
from audiencelab.engine.stats import StatsFigures
from audiencelab.engine.sums import TabulationError
from audiencelab.engine.tables import Figures
from audiencelab.engine.variance import Linearised, Lonely, Precision, VarianceError

__all__ = [
    "CodeFault",
    "Codes",
    "CrosstabSpec",
    "CrosstabStripe",
    "Engine",
    "Figures",
    "Linearised",
    "Lonely",
    "Precision",
    "ProfileSpec",
    "ProfileStripe",
    "StatsFigures",
    "StatsRow",
    "StatsSpec",
    "TabulationError",
    "UnknownCodeError",
    "VarianceError",
]
