"""How a call goes: which steps it takes, what they came to, and whether it is tried again.

Rooms: `steps` (what a flow may ask for), `flows` (the three kinds of call), `attempts` (a request
sent and read), `retries` (when it is sent again), `problems` (a refusal in words), and the two that
do as they are told, `driver` and `async_driver`. Nothing here knows what is asked, or over what.
"""

from audiencelab.client.flow.flows import Ask, crosstab, exchange_whole, fetch, fetch_with_line
from audiencelab.client.flow.steps import Emit, Flow, Read, Send, Step, Wait

__all__ = [
    "Ask",
    "Emit",
    "Flow",
    "Read",
    "Send",
    "Step",
    "Wait",
    "crosstab",
    "exchange_whole",
    "fetch",
    "fetch_with_line",
]
