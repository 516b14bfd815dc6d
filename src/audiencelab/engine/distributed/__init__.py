"""The same tables over many machines: partitions by address, partial tables that add up.

`partitions` cuts a survey and adds up a part, for any engine that spreads work; `dask` does so on a
Dask cluster, and `connect` checks one. Nothing of Dask is imported before `attach`.
"""

from audiencelab.engine.distributed.connect import attach
from audiencelab.engine.distributed.dask import ClusterError, ClusterTabulator
from audiencelab.engine.distributed.partitions import (
    PartialTable,
    Partition,
    SpreadTabulator,
    TableQuery,
    partial_table,
    partitions_of,
)

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
