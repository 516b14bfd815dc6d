"""The wire types: every resource, request and result of the service as it stands in JSON.

Plain records with the specification's own field names; no behaviour, no I/O. Expressions stay
JSON objects here and become trees in `audiencelab.expressions`. A field that may be missing
defaults to None (or to an empty list) and is then left out when written. Labels and codes are
open: text and numbers, never an enumeration.

Rooms: `catalogue` (questions, categories, datasets), `queries` (stats and crosstab), `charts`,
`saved` (audiences, insights), `problem` (error bodies), `resource` (what all that an answer holds
has in common: unknown fields survive), `listing` (how a list of them prints).
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
    Chart,
    ChartAttribute,
    ChartAudience,
    ChartCalculation,
    ChartCreated,
    Compatibilities,
    StatsGroup,
)
from audiencelab.schema.problem import Problem, ProblemFault
from audiencelab.schema.queries import (
    METRICS,
    AudienceRef,
    AxisFigures,
    BaseFigures,
    CellAudiences,
    CrosstabCell,
    CrosstabQuery,
    IntersectFigures,
    Metrics,
    StatsMeta,
    StatsQuery,
    StatsResult,
    StatsRow,
)
from audiencelab.schema.resource import Resource, keep_unknown, parts, struct_in
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
    "Chart",
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
    "Question",
    "QuestionKey",
    "QuestionsFilter",
    "Resource",
    "SavedAudience",
    "SavedAudiencePatch",
    "StatsGroup",
    "StatsMeta",
    "StatsQuery",
    "StatsResult",
    "StatsRow",
    "Suffix",
    "TaxonomyPath",
    "Value",
    "keep_unknown",
    "parts",
    "struct_in",
]
