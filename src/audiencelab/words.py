"""The words of other programs for members of our objects and for arguments of our calls.

Long because it is one list.

A word is one line here. `unknown_names` reads the tables for objects, `keywords` for calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

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
            **dict.fromkeys(
                (
                    "load",
                    "read",
                    "import_survey",
                    "Dataset",
                    "DataFrame",
                    "from_dataframe",
                    "from_df",
                ),
                "open",
            ),
            **dict.fromkeys(("version", "VERSION"), "__version__"),
            **dict.fromkeys(("plot", "bar", "chart"), "charts.auto"),
            **{f"read_{kind}": "open" for kind in _FILES},
            **{f"from_{kind}": "open" for kind in _FRAMES},
            **dict.fromkeys(("demo", "load_demo"), "connect"),
            **{
                name: f"of_a_question({name!r})"
                for name in ("bottom_box", "median", "percentile", "standard_deviation")
            },
            **{
                name: f"of_a_client({name!r})"
                for name in (
                    *("overlap", "profile", "rake", "size", "stats", "turf", "tab_book"),
                    *("frequencies", "summary_table", "describe", "total", "quantile"),
                    *("proportion", "trend", "tbl_summary", "ttest", "chisq_test", "freq"),
                    *("to_excel", "to_csv", "to_pptx", "to_html", "to_markdown", "save", "export"),
                    *("chi2", "chi_square", "chisq", "t_test", "correlation", "value_counts"),
                )
            },
            **{
                name: f"of_columns({name!r})" for name in ("crosstab", "crosstabs", "xtab", "table")
            },
            **dict.fromkeys(
                ("svydesign", "as_survey", "as_survey_design", "svrepdesign", "survey_design"),
                "opened_by_design",
            ),
        },
        instead={"Survey": "al.open(folder), or import it from audiencelab.survey"},
        otherwise="dir(al) lists its functions; al.open opens a file or a frame.",
    ),
    "Client": Words(
        otherwise="help({it}) lists what it does, and {it}.catalogue its questions.",
        same={
            **dict.fromkeys(("best_sets", "max_reach", "reach"), "turf"),
            **dict.fromkeys(
                ("add_column", "add_columns", "assign", "join", "merge", "with_column"),
                "with_columns",
            ),
            **dict.fromkeys(("compute", "cut", "derived", "mutate", "transmute"), "derive"),
            **dict.fromkeys(("open_ends", "verbatims", "open_answers"), "texts"),
            **dict.fromkeys(("degf", "df_residual"), "design.degrees_of_freedom"),
            **dict.fromkeys(
                ("effective_sample_size", "effective_base", "neff", "ess"), "design.effective_base"
            ),
            **dict.fromkeys(("strata", "clusters", "weight_summary"), "design"),
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
                (
                    "as_survey",
                    "as_survey_design",
                    "sample_design",
                    "set_design",
                    "survey_design",
                    "svydesign",
                    "update_design",
                    "with_design",
                ),
                "design",
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
            **dict.fromkeys(("cor", "corr", "correlations", "cov2cor", "correlate"), "correlation"),
            **dict.fromkeys(("sd", "std", "stdev", "svysd"), "standard_deviation"),
            "sum": "total",
        },
    ),
    "Chart": Words(
        same=dict.fromkeys(("to_png", "to_svg", "to_pdf"), "save"),
        instead={
            "altair": "the chart itself: it is a chart of altair, with all its methods",
            **dict.fromkeys(
                ("add_layers", "encode", "facet"), "it for a chart of one plot: this has several"
            ),
        },
        otherwise="A chart is displayed as the last line of a cell, or with display(chart); "
        ".save(path) writes it to a file, .properties() and .configure_…() change it. "
        'table.to_pptx("deck.pptx", chart="bar") draws one on a slide. '
        'Write {it}.properties(title="…").',
    ),
    "ChartSpecification": Words(
        otherwise="Run `import altair` in a cell of its own, and draw it again: then it is a chart "
        "of altair, with all its methods."
    ),
    "CatalogueQuestion": Words(
        otherwise="Its shares are those of {it}.stats(). Write {it}.stats().",
        same={
            **dict.fromkeys(("answers", "categories", "options", "values"), "datapoints"),
            **dict.fromkeys(("average", "avg"), "mean"),
            **dict.fromkeys(("sd", "std"), "standard_deviation"),
            "label": "name",
            "scale": "suffixes",
        },
    ),
    "Operators": Words(
        otherwise="It is a condition, whose people a client counts. Write client.size({it}).",
    ),
    "Audiences": Words(
        otherwise="A service creates audiences in its own pages; in Python an audience is a value, "
        "(client['question'] == 'answer').named('Name'). It has {members}.",
    ),
    "OperationGroup": Words(same={"list": "filter"}, otherwise="It has {members}."),
    "QuestionReference": Words(
        same={
            **dict.fromkeys(
                ("count", "freq", "frequencies", "frequency", "value_counts", "table", "tabulate"),
                "stats",
            ),
            **dict.fromkeys(("cut", "bin", "binned"), "bins"),
            **dict.fromkeys(("by", "cross", "cross_tab", "xtab"), "crosstab"),
            "total": "sum",
            **dict.fromkeys(("chart", "plot"), "stats().chart"),
        }
    ),
    "Estimates": Words(
        same={
            **dict.fromkeys(("estimate", "coef", "figure"), "value"),
            **dict.fromkeys(
                ("se", "SE", "std_error", "std_err", "stderr", "bse", "error"), "standard_error"
            ),
            **dict.fromkeys(("ci_low", "lower", "lower_ci", "conf_low"), "low"),
            **dict.fromkeys(("ci_upp", "ci_high", "upper", "upper_ci", "conf_high"), "high"),
            **dict.fromkeys(("n", "nobs", "count", "unweighted"), "sample"),
            **dict.fromkeys(
                ("confint", "conf_int", "ci", "intervals", "interval", "summary", "to_wide"),
                "to_frame",
            ),
            **dict.fromkeys(("df", "frame", "values"), "to_frame()"),
            **{name: f"to_frame().{name}" for name in _SHOWN},
            **dict.fromkeys(("crosstab",), "table"),
        }
    ),
    "Result": Words(
        same={
            "df": "to_frame()",
            **dict.fromkeys(("export", "write"), "save"),
            **dict.fromkeys(("total",), 'to_wide("total")'),
            "plot": "chart",
            "letters": "test()",
            **dict.fromkeys(("sig", "significance"), "test"),
            "to_pandas": "to_frame",
            "to_dataframe": "to_frame",
            "transpose": ("to_wide().transpose", "to_frame().transpose"),
            **{name: (f"to_wide().{name}", f"to_frame().{name}") for name in _SHOWN},
            "style": ("styled()", "to_wide().style", "to_frame().style"),
            **{name: f"to_frame().{name}" for name in _OF_LINES},
        },
        instead={
            **dict.fromkeys(("hist", "pie"), "{it}.chart.bar()"),
            "index": '{it}["index"]',
            "title": '{it}.to_html(title="…")',
            "value_counts": '{it}["sample"]',
            **dict.fromkeys(("to_clipboard", "to_string"), "{it}.to_markdown()"),
            **dict.fromkeys(("to_word", "to_docx", "to_pdf", "to_rtf"), "{it}.to_html()"),
            **dict.fromkeys(("to_image", "to_png", "to_svg", "savefig"), "{it}.chart()"),
            **dict.fromkeys(("diff", "pct_change", "change", "changes"), "{it}.to_frame()"),
        },
        otherwise="Its data frame is to_frame(). Write {it}.to_frame().",
    ),
    "ResultCharts": Words(
        same={
            **dict.fromkeys(("barh", "bars", "column", "columns"), "bar"),
            **dict.fromkeys(("line", "lines"), "trend"),
            **dict.fromkeys(("dot", "point", "scatter"), "dots"),
            **dict.fromkeys(("heat", "map"), "heatmap"),
            **dict.fromkeys(
                ("stacked", "stacked_bar", "stacked_column", "stacked_bars", "stacked_columns"),
                "stack",
            ),
            **dict.fromkeys(("clustered_bar", "clustered_column", "grouped_bar"), "bar"),
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
    "TabBook": Words(
        same={
            **dict.fromkeys(("as_gt", "as_html", "as_flextable", "kable", "as_kable"), "to_html"),
            **dict.fromkeys(("to_xlsx", "write_excel", "export"), "save"),
            "tables": "values()",
            "questions": "keys()",
        },
        instead={
            **dict.fromkeys(
                ("to_frame", "to_pandas", "to_csv", "df"),
                "{it}[next(iter({it}))].to_frame()",
            ),
        },
        otherwise="Its tables are by question; it has {members}. Write {it}[next(iter({it}))].",
    ),
    "ProfileResult": Words(
        same={
            **dict.fromkeys(("significant", "sig"), "standouts()"),
            **dict.fromkeys(("sort", "sorted", "rank"), "ranked"),
            **dict.fromkeys(("filter", "where"), "to_frame().query"),
        }
    ),
    "StatsResult": Words(
        same=dict.fromkeys(("rolling", "rolling_average", "smooth"), "moving_average")
    ),
    "TurfResult": Words(same={"reach": "greedy", "sets": "to_frame"}),
    "GridResult": Words(
        instead={
            **dict.fromkeys(
                ("boxes", "top_box", "top2", "t2b"),
                "client.crosstab(client[{question}].top_box(2))",
            ),
            **dict.fromkeys(("mean", "means", "average", "agg"), "client.mean({question})"),
        }
    ),
}
"""The words for members, by the name of the class, or of the module."""

_BY = ("by", "splitter", "banner", "columns", "audiences")

ARGUMENTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("base", "filter", "where", "subset", "universe", "mask"), ("base_audience",)),
    "by": (*_BY[1:], "sort"),
    **dict.fromkeys(("split", "split_by", "group", "groups", "group_by", "groupby", "hue"), _BY),
    "banner": _BY[1:],
    "strata": ("by",),
    **dict.fromkeys(("cols", "column", "col"), ("columns", "banner")),
    "columns": ("banner",),
    **dict.fromkeys(("control", "controls", "hold", "controlling_for"), ("adjust",)),
    "sig": ("letters",),
    **dict.fromkeys(("path", "filename", "output", "out", "fname"), ("to", "file", "fp")),
    **dict.fromkeys(("index", "row", "row_var", "rowvar"), ("rows",)),
    "stub": ("questions", "rows"),
    **dict.fromkeys(("col_var", "colvar", "column_var"), ("columns",)),
    "FUN": ("fun",),
    **dict.fromkeys(("wave", "period", "periods", "window"), ("waves",)),
    **dict.fromkeys(("location", "country", "countries", "market", "markets"), ("locations",)),
    **dict.fromkeys(("test", "tests", "significance"), ("letters", "tests")),
    **dict.fromkeys(("add_p", "p_value", "p_values", "pval"), ("tests",)),
    **dict.fromkeys(("statistic", "stats"), ("statistics",)),
    **dict.fromkeys(("add_overall", "total"), ("overall",)),
    **dict.fromkeys(
        ("alpha", "level", "confidence", "confidence_level", "conf_level", "conf", "ci_level"),
        ("levels", "level"),
    ),
    **dict.fromkeys(
        ("p_adjust_method", "p_adjust", "adjust", "padjust", "posthoc"), ("correction",)
    ),
    **dict.fromkeys(("probs", "q", "quantiles", "percentiles", "p"), ("probabilities", "tests")),
    **dict.fromkeys(("dropna", "na_rm", "skipna", "useNA", "exclude_missing"), ("base_of",)),
    **dict.fromkeys(("id", "id_column", "left_on", "on"), ("key",)),
    **dict.fromkeys(("ids", "cluster", "psu", "psus", "sampling_unit"), ("clusters",)),
    **dict.fromkeys(("stratum", "strat", "stratification"), ("strata",)),
    **dict.fromkeys(("population_size", "population_sizes", "finite_population"), ("fpc",)),
    **dict.fromkeys(("repweights", "replicate_weights", "brr_weights"), ("replicates",)),
    "audience": ("audiences", "base_audience"),
    **dict.fromkeys(("texts", "open_ends", "open_answers", "verbatims", "comments"), ("text",)),
    "answers": ("datapoints",),
    "scale": ("suffixes",),
    "suffixes": ("scale",),
    "include": ("must", "questions"),
    **dict.fromkeys(("must_have", "required", "always", "fixed"), ("must",)),
    **dict.fromkeys(("variables", "vars", "variable"), ("questions", "question", "include")),
    **dict.fromkeys(("never", "without", "leave_out"), ("exclude",)),
    **dict.fromkeys(("sizes", "set_size", "k", "count"), ("size",)),
    **dict.fromkeys(
        ("weights", "weighted", "wgt", "weight_by", "weight_col", "weight_column", "weight_var"),
        ("weight",),
    ),
    **dict.fromkeys(("wt", "w", "wts"), ("weight",)),
    "weight": ("weights", "start"),
    **dict.fromkeys(
        ("na_values", "missing_values", "missing_codes", "user_missing", "na_codes", "na"),
        ("missing",),
    ),
    **dict.fromkeys(("max_weight", "upper", "upper_bound"), ("cap",)),
    **dict.fromkeys(("min_weight", "lower", "lower_bound"), ("floor",)),
    **dict.fromkeys(("order", "sort_by", "order_by", "sorted"), ("sort",)),
    **dict.fromkeys(("round", "digits", "precision", "decimal"), ("decimals",)),
    **dict.fromkeys(("labels", "names", "relabel"), ("rename",)),
    **dict.fromkeys(("min_base", "min_n", "suppress_under"), ("hide_under",)),
    **dict.fromkeys(("n", "head", "limit", "nlargest", "max_rows"), ("top",)),
    **dict.fromkeys(("low_base", "low_bases"), ("stars",)),
    **dict.fromkeys(("sheet_name", "sheetname", "worksheet"), ("sheet",)),
    **dict.fromkeys(("target", "population", "marginals", "population_margins"), ("targets",)),
}
"""Words for arguments; the first that a call has is meant, but not where it has an instead."""

ANY = (...,)

DONE_ANYWAY: dict[str, dict[str, tuple[Any, ...]]] = {
    "": {
        **dict.fromkeys(("margins", "total", "totals", "add_overall", "weighted"), (True,)),
        **dict.fromkeys(("index", "observed", "as_index", "numeric_only"), (True, False)),
        "margins_name": ANY,
        "date": ("wave", "waves"),
    },
    "level": {
        **dict.fromkeys(("na_rm", "dropna", "skipna"), (True,)),
        **dict.fromkeys(("axis", "dtype", "out"), (None,)),
        **dict.fromkeys(("se", "ci", "std_error", "intervals", "standard_errors"), (True,)),
        "vartype": ANY,
    },
    "levels": {"letters": (True,)},
    "clusters": {"nest": ANY},
    "banner": dict.fromkeys(("letters", "test", "tests", "sig", "significance"), (True,)),
    "datapoints": {"normalize": (True,), "sort": (False,)},
    "missing": {
        **dict.fromkeys(("usecols", "col_select"), ANY),
        **dict.fromkeys(
            ("user_na", "convert_categoricals", "apply_value_formats", "labelled"), (True,)
        ),
    },
}
"""Words that ask for what a call does without them, with the values that do, by an argument that
the call has; `ANY` is all values: every column of a file is read, estimates always have errors,
clusters are counted within strata."""

LOOKS = frozenset(
    (
        *("annot", "ax", "bbox_inches", "bins", "cbar", "cmap", "color", "colormap", "colors"),
        *("dpi", "edgecolor", "fig", "figsize", "fmt", "fontsize", "grid", "kde", "legend"),
        *("linewidth", "linewidths", "marker", "rot", "rwidth", "square", "style", "xlabel"),
        *(
            "ylabel",
            "alpha",
            "hatch",
            "ylim",
            "xlim",
            "horizontal",
            "orient",
            "show",
            "orientation",
        ),
    )
)
"""Words for how a chart looks, which change no figure."""

_CHI2 = ("chi2", "chisq", "chi-square", "chi square", "chi_square", "f", "rao-scott", "pearson")
_PAIRS = ("z", "t", "ttest", "t-test", "z-test", "pairwise", "prop", "column_proportions")

VALUES: dict[str, dict[Any, Any]] = {
    "correction": {
        **dict.fromkeys(("fdr_bh", "bh", "benjamini_hochberg"), "fdr"),
        **dict.fromkeys(("bonf", "b"), "bonferroni"),
        "holm-bonferroni": "holm",
    },
    "vs": {**dict.fromkeys(_PAIRS, "columns"), "previous": "previous wave"},
    "weight": {False: None},
    "base_of": {
        **dict.fromkeys((True, "no", "valid_only"), "valid"),
        **dict.fromkeys((False, "ifany", "always", "all"), "everyone"),
    },
}
"""Values of arguments as other programs call them, with ours."""

VALUES_INSTEAD: dict[str, dict[Any, str]] = {
    "vs": dict.fromkeys(_CHI2, "Write {of}.test_independence()."),
}
"""Values of arguments that another call has; {of} is the code of the object."""

_BASE = (
    "The base of percentages is base_audience=…, an audience or an expression: "
    "base_audience=client['Age'].any() takes only those who answered; base_of='everyone' counts "
    "all, 'valid' those with an answer. Write {call}."
)
_CHI2_WORDS = {
    **dict.fromkeys(_CHI2, "Write {of}.test_independence()."),
    **dict.fromkeys(_PAIRS, "Write {call}."),
}
SAVES = frozenset(
    (
        *("export", "ggsave", "save_as", "save_chart", "save_png", "savechart", "savefig"),
        *("to_file", "to_image", "write_image"),
    )
)
"""Words for saving a chart, whose size and resolution are the chart's own."""

ARGUMENTS_INSTEAD: dict[str, dict[str, str | dict[Any, str]]] = {
    "levels": dict.fromkeys(("method", "statistic", "kind", "test", "type"), _CHI2_WORDS),
    "base_audience": {
        **dict.fromkeys(
            ("bases", "missing", "valid"),
            _BASE,
        ),
        "deff": "Design effects are those of client.design_effects(table). Write {call}.",
    },
    "missing": {
        **dict.fromkeys(("n_max", "nrows"), "Every row is read. Write {call}."),
        **dict.fromkeys(
            ("filter", "query", "where", "subset", "base", "base_audience"),
            "A client is filtered once it is open. Write {call}.filter({value}).",
        ),
        **dict.fromkeys(
            ("user_na", "convert_categoricals", "apply_value_formats"),
            "Labels and missing codes are read as the file declares them. Write {call}.",
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
    "rows": dict.fromkeys(
        ("alpha", "correction", "level", "levels", "p_adjust", "vs"),
        "Tests are made of the table, which takes this. Write {call}.test().",
    ),
    "level": {
        **dict.fromkeys(
            ("amounts", "scores"),
            "Amounts are given to the question. Write {of}[{first}].{method}(amounts={value}).",
        ),
        "method": "Intervals by another method are those of the table. "
        "Write {call}.table.intervals(method={value}).",
    },
    "sort": {
        "ascending": 'Write sort="ascending", or sort=("Female", "ascending").',
        "descending": 'Write sort="descending".',
        "reverse": 'Write sort="ascending".',
    },
}
"""Arguments that nothing has here, with the sentence that says what does the same, by the argument
that a call must have for it."""

UNNAMED_INSTEAD: dict[str, str] = {
    f"to_{kind}": f'Write .save("table.{ending}") for a file.'
    for kind, ending in (("html", "html"), ("markdown", "md"), ("latex", "tex"))
}
"""What to write in place of a method that is given a file, as a `to_excel` is, by its name."""
