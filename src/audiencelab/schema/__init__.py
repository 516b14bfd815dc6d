"""The wire types: every resource, request and result of the service, as JSON has them.

Plain records with the specification's own field names. Expressions stay JSON objects here;
`audiencelab.expressions` parses them. A field that may be missing defaults to None or to an empty
list. Labels and codes are open: text and numbers, never an enumeration. A `Query` with its `Scope`
is a value of which a request is written.
"""

from audiencelab.schema.catalogue import (
    Category,
    Datapoint,
    Dataset,
    DescendantAttribute,
    Question,
    QuestionKey,
    QuestionsFilter,
    Suffix,
    TaxonomyPath,
    Value,
)
from audiencelab.schema.charts import (
    AudienceReplacement,
    CalcAttribute,
    CalcCategory,
    CalcData,
    CalcDataset,
    CalcPathNode,
    CalcQuestion,
    CalcTaxonomyPath,
    ChartAttribute,
    ChartAudience,
    ChartCalculation,
    ChartCreated,
    Compatibilities,
    SavedChart,
    StatsGroup,
)
from audiencelab.schema.queries import (
    METRICS,
    AudienceRef,
    AxisFigures,
    BaseFigures,
    CellAudiences,
    CrosstabCell,
    IntersectFigures,
    Metrics,
    StatsMeta,
    StatsResult,
    StatsRow,
)
from audiencelab.schema.query import CrosstabQuery, Query, StatsQuery
from audiencelab.schema.resource import Problem, ProblemFault, Resource
from audiencelab.schema.saved import (
    Image,
    Insight,
    InsightsFilter,
    InsightsPage,
    InsightsQuery,
    Permissions,
    SavedAudience,
    SavedAudiencePatch,
)
from audiencelab.schema.scope import Scope

Chart = SavedChart
"""The name until 2.0."""

__all__ = [
    "METRICS",
    "AudienceRef",
    "AudienceReplacement",
    "AxisFigures",
    "BaseFigures",
    "CalcAttribute",
    "CalcCategory",
    "CalcData",
    "CalcDataset",
    "CalcPathNode",
    "CalcQuestion",
    "CalcTaxonomyPath",
    "Category",
    "CellAudiences",
    "ChartAttribute",
    "ChartAudience",
    "ChartCalculation",
    "ChartCreated",
    "Compatibilities",
    "CrosstabCell",
    "CrosstabQuery",
    "Datapoint",
    "Dataset",
    "DescendantAttribute",
    "Image",
    "Insight",
    "InsightsFilter",
    "InsightsPage",
    "InsightsQuery",
    "IntersectFigures",
    "Metrics",
    "Permissions",
    "Problem",
    "ProblemFault",
    "Query",
    "Question",
    "QuestionKey",
    "QuestionsFilter",
    "Resource",
    "SavedAudience",
    "SavedAudiencePatch",
    "SavedChart",
    "Scope",
    "StatsGroup",
    "StatsMeta",
    "StatsQuery",
    "StatsResult",
    "StatsRow",
    "Suffix",
    "TaxonomyPath",
    "Value",
]
