"""The audience language: expressions that can be combined, printed and sent.

`Q("q2").any("q2_1") & ~Q("q20", suffixes=[1, 2]).at_least(2)` builds an immutable expression. It
is written as that code (`to_code`), as a sentence (`describe`) and as JSON (`to_wire`).
"""

from audiencelab.expressions.audience import KeptAudience, as_audience, describe_name
from audiencelab.expressions.by_name import ByName, mean, net, nps, top_box
from audiencelab.expressions.code_parser import CodeError, read_code
from audiencelab.expressions.codes import join_code, split_code
from audiencelab.expressions.crossing import Nested, combine, nest, within
from audiencelab.expressions.labels import Labels
from audiencelab.expressions.nodes import (
    And,
    Audience,
    Condition,
    Expression,
    Form,
    Leaf,
    Or,
    all_of,
    any_of,
    walk,
)
from audiencelab.expressions.number_range import Inclusive, NumberRange, is_number, number_range
from audiencelab.expressions.parsing import (
    MAX_DEPTH,
    MAX_NODES,
    InvalidExpression,
    parse_audience,
    parse_expression,
)
from audiencelab.expressions.question import Q, is_answers, one_by_one

__all__ = [
    "MAX_DEPTH",
    "MAX_NODES",
    "And",
    "Audience",
    "ByName",
    "CodeError",
    "Condition",
    "Expression",
    "Form",
    "Inclusive",
    "InvalidExpression",
    "KeptAudience",
    "Labels",
    "Leaf",
    "Nested",
    "NumberRange",
    "Or",
    "Q",
    "all_of",
    "any_of",
    "as_audience",
    "combine",
    "describe_name",
    "is_answers",
    "is_number",
    "join_code",
    "mean",
    "nest",
    "net",
    "nps",
    "number_range",
    "one_by_one",
    "parse_audience",
    "parse_expression",
    "read_code",
    "split_code",
    "top_box",
    "walk",
    "within",
]
