"""The engine: audiences over a panel as bit masks, and exact weighted tables of them.

`Engine(panel)` answers `StatsSpec` and `CrosstabSpec`. It knows no JSON, no audience names and
no limits; the service does.

Rooms: `binding` expressions bound to a panel, coverage; `masks` the one evaluator; `kernel` the
one multiplication; `tables` stripes and effective waves; `metrics` every formula; `stats` and
`engine` the queries; `codes` what a query may name; `bits`, `cache`, `waves` their tools.
"""

from audiencelab.engine.codes import CodeFault, Codes, UnknownCodeError
from audiencelab.engine.engine import Engine
from audiencelab.engine.queries import CrosstabSpec, CrosstabStripe, StatsRow, StatsSpec
from audiencelab.engine.sums import TabulationError
from audiencelab.engine.tables import Figures

__all__ = [
    "CodeFault",
    "Codes",
    "CrosstabSpec",
    "CrosstabStripe",
    "Engine",
    "Figures",
    "StatsRow",
    "StatsSpec",
    "TabulationError",
    "UnknownCodeError",
]
