"""The same tables over many machines: partitions by address, partial tables that add up.

Rooms: `partitions` a panel cut into parts that are named by where they stand; `queries` what is
asked of a part; `partial` its table, a pure function for any engine that spreads work;
`spread` a tabulator for such an engine. On Dask, `attaching` checks a cluster, `tabulator` gives
it a table's `tasks`. Nothing of Dask is imported before a cluster is attached.
"""

from audiencelab.cluster.attaching import attach
from audiencelab.cluster.errors import ClusterError
from audiencelab.cluster.partial import partial_table
from audiencelab.cluster.partitions import Partition, partitions_of
from audiencelab.cluster.queries import PartialTable, TableQuery
from audiencelab.cluster.spread import SpreadTabulator
from audiencelab.cluster.tabulator import ClusterTabulator

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
