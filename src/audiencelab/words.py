"""The words of other programs for members of our objects and for arguments of our calls.

A word is one line here. `unknown_names` reads the tables for objects, `keywords` for calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

Member: TypeAlias = str
"""What to read of an object, as it is written behind the point: `chart`, `to_wide("sample")`."""


class Words(NamedTuple):
    """Words for the members of one class and of those that inherit from it.

    same: the member that a word means; of several, the first that the object has.
    instead: what to write instead of a word that nothing has, as it follows "Write"; {question} is
        the code of the object's question.
    otherwise: what an error says of every other name; {members} are those of the object, each
        written as `listed` says.
    """

    same: Mapping[str, Member | tuple[Member, ...]] = {}
    instead: Mapping[str, str] = {}
    otherwise: str = ""
    listed: str = ".{}()"


_SHOWN = ("T", "head", "iloc", "loc", "round", "sort_values", "style", "tail", "to_json")
"""What a result has of the frame that it shows; sums and means of percentages are misleading."""

_OF_LINES = ("groupby", "melt", "merge", "pivot_table", "query", "to_dict")
"""What only the long frame answers as it is meant."""

_FILES = ("csv", "excel", "parquet", "sav", "spss", "stata", "table")

_FRAMES = ("arrow", "frame", "pandas", "polars")

OBJECTS: dict[str, Words] = {
    "audiencelab": Words(
        same={
            **dict.fromkeys(("load", "read", "import_survey"), "open"),
            **{f"read_{kind}": "open" for kind in _FILES},
            **{f"from_{kind}": "open" for kind in _FRAMES},
            **dict.fromkeys(("demo", "load_demo"), "connect"),
            **{
                name: f"of_a_question({name!r})"
                for name in ("bottom_box", "median", "percentile", "standard_deviation")
            },
            **{
                name: f"of_a_client({name!r})"
                for name in ("crosstab", "overlap", "profile", "rake", "size", "stats", "turf")
            },
        },
        instead={"Survey": "al.open(folder), or import it from audiencelab.survey"},
    ),
    "Client": Words(
        same={
            **dict.fromkeys(("best_sets", "max_reach", "reach"), "turf"),
            **dict.fromkeys(
                ("add_column", "add_columns", "assign", "join", "merge", "with_column"),
                "with_columns",
            ),
            **dict.fromkeys(("compute", "cut", "derived"), "derive"),
            **dict.fromkeys(
                (
                    "CreateTableOne",
                    "TableOne",
                    "dtable",
                    "svyCreateTableOne",
                    "table1",
                    "table_one",
                    "tableone",
                    "tbl_summary",
                    "tbl_svysummary",
                ),
                "summary_table",
            ),
            **dict.fromkeys(
                ("filter_by", "query", "select_cases", "select_if", "subset", "where"), "filter"
            ),
            **dict.fromkeys(
                (
                    "calibrate",
                    "post_stratify",
                    "poststratify",
                    "raking",
                    "rim",
                    "rim_weight",
                    "rim_weights",
                    "weight_to",
                ),
                "rake",
            ),
        }
    ),
    "Chart": Words(
        same=dict.fromkeys(("to_png", "to_svg"), "save"),
        instead={
            "altair": "the chart itself: it is a chart of altair, with all its methods",
            **dict.fromkeys(
                ("add_layers", "encode", "facet"), "it for a chart of one plot: this has several"
            ),
        },
        otherwise="A chart is displayed as the last line of a cell, or with display(chart); "
        ".save(path) writes it to a file, .properties() and .configure_…() change it. "
        'table.to_pptx("deck.pptx", chart="bar") draws one on a slide.',
    ),
    "ChartSpecification": Words(
        otherwise="Run `import altair` in a cell of its own, and draw it again: then it is a chart "
        "of altair, with all its methods."
    ),
    "CatalogueQuestion": Words(
        same={
            **dict.fromkeys(("answers", "categories", "options", "values"), "datapoints"),
            **dict.fromkeys(("average", "avg"), "mean"),
            **dict.fromkeys(("sd", "std"), "standard_deviation"),
            "label": "name",
            "scale": "suffixes",
        }
    ),
    "OperationGroup": Words(same={"list": "filter"}, otherwise="It has {members}."),
    "Operators": Words(
        instead={
            name: f"client.{name}(audience)"
            for name in ("count", "crosstab", "profile", "respondents", "size", "turf")
        }
    ),
    "QuestionReference": Words(
        same={
            **dict.fromkeys(("count", "freq", "frequencies", "value_counts"), "stats"),
            "by": "crosstab",
            "describe": "stats().averages",
            **dict.fromkeys(("chart", "plot"), "stats().chart"),
        }
    ),
    "Result": Words(
        same={
            "df": "to_frame()",
            "to_pandas": "to_frame",
            "plot": "chart",
            "letters": "test()",
            **dict.fromkeys(("sig", "significance"), "test"),
            **dict.fromkeys(("counts", "n"), 'to_wide("sample")'),
            **dict.fromkeys(("pct", "percent", "percentages"), 'to_wide("column")'),
            "transpose": ("to_wide().transpose", "to_frame().transpose"),
            **{name: (f"to_wide().{name}", f"to_frame().{name}") for name in _SHOWN},
            **{name: f"to_frame().{name}" for name in _OF_LINES},
        },
        instead={
            **dict.fromkeys(("hist", "pie"), "table.chart.bar()"),
            "index": 'table["index"], the metric, or table.rows, the audiences',
            "sum": 'table.nets({"Name": [rows]})',
            "title": 'table.to_excel("table.xlsx", title="…")',
            "value_counts": 'table["sample"]',
        },
        otherwise="Its data frame is result.to_frame().",
    ),
    "ResultCharts": Words(
        same={
            **dict.fromkeys(("barh", "bars", "column", "columns"), "bar"),
            **dict.fromkeys(("line", "lines"), "trend"),
            **dict.fromkeys(("dot", "point", "scatter"), "dots"),
            **dict.fromkeys(("heat", "map"), "heatmap"),
            **dict.fromkeys(("stacked", "stacked_bar"), "stack"),
            **dict.fromkeys(("venn", "upset"), "overlap"),
        },
        instead={
            **dict.fromkeys(("line", "lines", "trend"), "client.trend(question).chart.trend()"),
            **dict.fromkeys(("hist", "pie"), "table.chart.bar()"),
        },
        otherwise="It has {members}.",
        listed=".chart.{}()",
    ),
    "OverlapResult": Words(same={"greedy": "reach"}),
    "SummaryTable": Words(
        same={
            **dict.fromkeys(("add_p", "add_p_value", "add_p_values"), "_with_p"),
            "add_overall": "_with_overall",
            # What gtsummary adds by a call is there.
            **dict.fromkeys(("add_n", "add_stat_label", "bold_labels"), "_as_it_is"),
            **dict.fromkeys(("as_data_frame", "as_tibble"), "to_wide"),
            **dict.fromkeys(("as_flex_table", "as_gt"), "to_html"),
            **dict.fromkeys(("as_kable", "tabulate"), "to_markdown"),
            "as_hux_xlsx": "to_excel",
        }
    ),
    "StatsResult": Words(
        same=dict.fromkeys(("rolling", "rolling_average", "smooth"), "moving_average")
    ),
    "TurfResult": Words(same={"reach": "greedy", "sets": "to_frame"}),
    "GridResult": Words(
        instead={"boxes": "client.crosstab(client[{question}].top_box(2), columns)"}
    ),
}
"""The words for members, by the name of the class, or of the module."""

ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("base", "filter", "where", "subset", "universe"), ("base_audience",)),
    "by": ("splitter", "columns", "audiences", "sort"),
    **dict.fromkeys(("split", "split_by", "banner"), ("splitter", "columns", "audiences")),
    **dict.fromkeys(("cols", "column", "col"), ("columns",)),
    **dict.fromkeys(("index", "row", "stub"), ("rows",)),
    **dict.fromkeys(("wave", "period", "periods", "window"), ("waves",)),
    **dict.fromkeys(("location", "country", "countries", "market", "markets"), ("locations",)),
    **dict.fromkeys(("test", "tests", "significance"), ("letters", "tests")),
    **dict.fromkeys(("add_p", "p", "p_value", "p_values", "pval"), ("tests",)),
    **dict.fromkeys(("statistic", "stats"), ("statistics",)),
    **dict.fromkeys(("group_by", "groupby"), ("by",)),
    **dict.fromkeys(("add_overall", "total"), ("overall",)),
    **dict.fromkeys(("alpha", "level"), ("levels",)),
    **dict.fromkeys(("id", "id_column", "left_on", "on"), ("key",)),
    **dict.fromkeys(("ids", "cluster", "psu", "psus", "sampling_unit"), ("clusters",)),
    **dict.fromkeys(("stratum", "strat", "stratification"), ("strata",)),
    **dict.fromkeys(("population_size", "population_sizes", "finite_population"), ("fpc",)),
    **dict.fromkeys(("repweights", "replicate_weights", "brr_weights"), ("replicates",)),
    "audience": ("audiences",),
    **dict.fromkeys(("texts", "open_ends", "open_answers", "verbatims", "comments"), ("text",)),
    "answers": ("datapoints",),
    "scale": ("suffixes",),
    "suffixes": ("scale",),
    **dict.fromkeys(("must_have", "include", "required", "always", "fixed"), ("must",)),
    **dict.fromkeys(("never", "without", "leave_out"), ("exclude",)),
    **dict.fromkeys(("sizes", "set_size", "k", "count"), ("size",)),
    **dict.fromkeys(("weights", "weighted", "wgt", "weight_by"), ("weight",)),
    "weight": ("weights", "start"),
    **dict.fromkeys(("max_weight", "upper", "upper_bound"), ("cap",)),
    **dict.fromkeys(("min_weight", "lower", "lower_bound"), ("floor",)),
    **dict.fromkeys(("order", "sort_by", "order_by", "sorted"), ("sort",)),
    **dict.fromkeys(("round", "digits", "precision", "decimal"), ("decimals",)),
    **dict.fromkeys(("labels", "names", "relabel"), ("rename",)),
    **dict.fromkeys(("min_base", "min_n", "suppress_under"), ("hide_under",)),
    **dict.fromkeys(("n", "head", "limit", "nlargest", "max_rows"), ("top",)),
    **dict.fromkeys(("low_base", "low_bases"), ("stars",)),
    **dict.fromkeys(("target", "population", "marginals", "population_margins"), ("targets",)),
}
"""Words for arguments; the first that a call has is meant, but not where it has an instead."""

_BASE = (
    "The base of percentages is base_audience=…, an audience or an expression: "
    "base_audience=client['Age'].any() takes only those who answered."
)
ARGUMENTS_ALWAYS = {"nest": "clusters"}
"""Words for what a call with the other argument always does: clusters are counted within strata."""

ARGUMENTS_INSTEAD: dict[str, dict[str, str]] = {
    "base_audience": {
        **dict.fromkeys(("bases", "missing", "dropna", "valid", "exclude_missing"), _BASE),
        **dict.fromkeys(
            ("normalize", "values", "aggfunc", "metric"),
            "A table has every metric: table['column'], table['row'], table['total'], "
            "table['sample'].",
        ),
        **dict.fromkeys(
            ("margins", "margins_name", "totals"),
            "Tables, workbooks and slides show the total without it. For one in table['column'] "
            "too, write crosstab(rows, ['Total', 'Age']).",
        ),
    },
    "clusters": {
        "id": "key= is the column that names each respondent; the sampling unit is clusters=. Did "
        "you mean 'clusters'?",
    },
    "overall": {
        "strata": "Groups are by=…; the strata of the sample are those of al.open(…, strata=…). "
        "Did you mean 'by'?",
    },
    "sort": {
        "ascending": 'Write sort="ascending", or sort=("Female", "ascending").',
        "descending": 'Write sort="descending".',
        "reverse": 'Write sort="ascending".',
    },
    "rows": dict.fromkeys(
        ("statistics", "boxes", "nets", "means"),
        "Means, boxes and nets are rows: crosstab([rows, al.mean('Age')], columns), and of a tab "
        "book rows=['answers', 'top 2', 'mean'].",
    ),
}
"""Arguments that nothing has here, with the sentence that says what does the same, by the argument
that a call must have for it."""

UNNAMED_INSTEAD: dict[str, str] = {
    f"to_{kind}": f'Write .save("table.{ending}") for a file.'
    for kind, ending in (("html", "html"), ("markdown", "md"), ("latex", "tex"))
}
"""What to write in place of a method that is given a file, as a `to_excel` is, by its name."""
