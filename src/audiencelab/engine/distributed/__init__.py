"""The same tables over many machines: partitions by address, partial tables that add up.

Rooms: `partitions` a survey cut into parts that are named by where they stand; `queries` what is
asked of a part; `partial` its table, a pure function for any engine that spreads work;
`spread` a tabulator for such an engine. On Dask, `attaching` checks a cluster, `tabulator` gives
it a table's `tasks`. Nothing of Dask is imported before a cluster is attached.
"""

from audiencelab.engine.distributed.attaching import attach
from audiencelab.engine.distributed.errors import ClusterError
from audiencelab.engine.distributed.partial import partial_table
from audiencelab.engine.distributed.partitions import Partition, partitions_of
from audiencelab.engine.distributed.queries import PartialTable, TableQuery
from audiencelab.engine.distributed.spread import SpreadTabulator
from audiencelab.engine.distributed.tabulator import ClusterTabulator

__all__ = [
    "ClusterError",
    "ClusterTabulator",
    "PartialTable",
    "Partition",
    "SpreadTabulator",
    "TableQuery",
    "attach",
    "partial_table",
    "partitions_of",
]
