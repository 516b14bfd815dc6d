"""Calls that other programs have for what a client does: `client.groupby("gender")["age"].mean()`.

Each is a function of the client, with the arguments that people type. `words.OBJECTS` has the words
that are another name of a member.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from audiencelab.client.formulas import read_formula
from audiencelab.client.frame_phrases import equal_edges, frame_phrase, with_numbers
from audiencelab.client.grouped import Grouped, asked_for
from audiencelab.lines import CallCode, PlainCode, code_of, write_instead
from audiencelab.said import Phrases
from audiencelab.words import OBJECTS

if TYPE_CHECKING:
    import pandas as pd

said = Phrases()


def phrase(client: Any, name: str, *, knows_questions: bool) -> Callable[[], Any] | None:
    """What reads a word of a client, or a question by its code; None for another name."""
    if (found := said.of(client, name) or frame_phrase(client, name)) is not None:
        return found
    if not knows_questions or name in OBJECTS["Client"].same or name not in client.catalogue:
        return None
    return partial(client.__getitem__, name)


# -- Groups ---------------------------------------------------------------------------------------


@said("groupby", "group_by", "split_file", "split_by", "by")
def grouped(client: Any, by: Any, *more: Any, **_: Any) -> Grouped:
    """The client by groups, whose verbs are those of the client."""
    several = [by, *more] if more else by
    return Grouped(client, [*several] if isinstance(several, list | tuple) else several)


@said("agg", "aggregate", "summarise", "summarize")
def summarised(client: Any, *given: Any, **named: Any) -> Any:
    """Statistics of questions, as pandas and dplyr name them."""
    return Grouped(client, None).agg(*given, **named)


@said("pivot_table", "pivot")
def pivot_table(
    client: Any,
    values: Any = None,
    index: Any = None,
    columns: Any = None,
    aggfunc: Any = "mean",
) -> Any:
    """A statistic of values by index and columns."""
    by = [each for each in (index, columns) if each is not None]
    if values is None:
        return client.crosstab(index, columns)
    return asked_for(client, aggfunc, values, _one_or_list(by))


@said("svyby", "survey_by")
def svyby(client: Any, formula: Any, by: Any, fun: Any = "mean", **named: Any) -> Any:
    """A statistic by groups, as in R's survey package; its own arguments follow."""
    fun = named.pop("FUN", fun)
    questions, groups = _one_or_list(_terms(formula)), _one_or_list(_terms(by))
    return asked_for(client, fun, questions, groups, **named)


@said("svymean", "survey_mean", "means", "compare_means", "average", "avg")
def svymean(client: Any, questions: Any, by: Any = None, **named: Any) -> Any:
    """Means, with standard errors of the design."""
    questions, by = _outcome(questions, by)
    return client.mean(questions, by, **named)


@said("svytotal", "survey_total")
def svytotal(client: Any, questions: Any, by: Any = None, **named: Any) -> Any:
    """Totals, with standard errors of the design."""
    questions, by = _outcome(questions, by)
    return client.total(questions, by, **named)


@said("svyquantile", "survey_quantile", "quantiles", "percentile", "percentiles")
def svyquantile(client: Any, questions: Any, quantiles: Any = 0.5, **named: Any) -> Any:
    """Quantiles, with standard errors of the design."""
    probabilities = named.pop("probs", named.pop("probabilities", quantiles))
    return client.quantile(_one_or_list(_terms(questions)), probabilities, **named)


@said("svymedian", "survey_median")
def svymedian(client: Any, questions: Any, by: Any = None, **named: Any) -> Any:
    """Medians, with standard errors of the design."""
    questions, by = _outcome(questions, by)
    return client.median(questions, by, **named)


@said("svyciprop", "survey_prop", "prop", "props", "share", "shares", "percentage", "percent")
def svyciprop(client: Any, what: Any, by: Any = None, **named: Any) -> Any:
    """Shares with their intervals, Wilson's or by another method that is known."""
    method = named.pop("method", "wilson")
    shares = client.proportion(_one_or_list(_terms(what)), by, **named)
    if method not in ("wilson", "logit", "beta"):
        line = f'{code_of(shares.table)}.intervals(method="logit")'
        write_instead(f"method={method!r} is not computed; wilson, logit and beta are.", line)
    if method == "wilson":
        return shares
    return shares.table.intervals(named.get("level", 0.95), method)


@said("cronbach_alpha", "alpha", "cronbach", "reliability", "heatmap", "factor_analysis", "pca")
def reliability(client: Any, questions: Any, *_: Any, **__: Any) -> Any:
    """Refuse a scale's reliability, or its factors, with the line of the correlations."""
    line = CallCode("client", "correlation", (questions,))
    write_instead("A client has correlations, from which others compute it.", str(line))


@said("confint", "conf_int", "margin_of_error", "moe", "confidence_interval")
def confidence(client: Any, what: Any, by: Any = None, **named: Any) -> Any:
    """Shares with their intervals."""
    return client.proportion(what, by, **named)


@said("significance", "test", "compare", "sig_test", "column_proportions")
def compared(client: Any, rows: Any, *columns: Any, **named: Any) -> Any:
    """The differences between columns that are significant."""
    return client.crosstab(rows, [*columns] or "waves").test(**named)


@said("deff", "design_effect", "svydeff")
def design_effect(client: Any, rows: Any = None, columns: Any = None) -> Any:
    """Design effects of the shares of a table."""
    if rows is None:
        write_instead("Design effects are of a table.", "client.design")
    return client.design_effects(client.crosstab(rows, columns))


@said("wilcox_test", "mannwhitney", "mannwhitneyu", "kruskal", "svyranktest", "kruskal_test")
def rank_test(client: Any, questions: Any, group: Any = None, *_: Any, **__: Any) -> Any:
    """Refuse a test of ranks with the line of the test of means."""
    questions, by = _outcome(questions, group)
    call = CallCode("client", "mean", (questions,), {"by": by or "waves"})
    write_instead("Ranks are not tested; means are, by the design of the sample.", f"{call}.test()")


@said("scatter", "scatterplot", "plot_scatter", "pairplot")
def scatter(client: Any, x: Any = None, y: Any = None, *_: Any, **__: Any) -> Any:
    """Refuse a plot of respondents with the line of their numbers."""
    amounts = [each for each in (x, y) if each is not None]
    line = CallCode("client", "respondents", (), {"amounts": amounts})
    write_instead("Charts are of tables; respondents are in a frame.", str(line))


@said("svyratio", "survey_ratio")
def svyratio(client: Any, numerator: Any, denominator: Any, by: Any = None, **named: Any) -> Any:
    """Ratios of totals, with standard errors of the design."""
    over, under = (_one_or_list(_terms(each)) for each in (numerator, denominator))
    return client.ratio(over, under, by, **named)


@said("svyvar", "cov", "covariance", "var", "variance")
def svyvar(client: Any, questions: Any, *_: Any, **__: Any) -> Any:
    """Refuse variances with the line of standard deviations, or of correlations of several."""
    terms = _terms(questions)
    verb = "correlation" if len(terms) > 1 else "standard_deviation"
    write_instead(
        "A client has no variances: take standard deviations, and correlations of several.",
        str(CallCode("client", verb, (_one_or_list(terms),))),
    )


@said("min", "max", "range", "minimum", "maximum")
def extremes(client: Any, questions: Any, *_: Any, **__: Any) -> Any:
    """Refuse the least and the largest amount with the line of what respondents gave."""
    terms = _terms(questions)
    write_instead(
        "The least and the largest amount are of respondents, without weights.",
        f"{CallCode('client', 'respondents', (), {'amounts': terms})}.iloc[:, -{len(terms)}:]"
        '.agg(["min", "max"])',
    )


@said("mode", "svymode")
def mode(client: Any, question: Any, *_: Any, **__: Any) -> Any:
    """Refuse the mode with the line of the shares, of which it is the largest."""
    line = CallCode("client", "proportion", (question,))
    write_instead(
        "The mode is the answer with the largest share.",
        f'{line}.to_frame().sort_values("value", ascending=False)',
    )


@said("n_distinct", "nunique")
def nunique(client: Any, question: Any = None, *_: Any) -> Any:
    """How many answers a question has."""
    return len(client[question].datapoints)


# -- Tables ---------------------------------------------------------------------------------------


@said(
    "freq", "freqs", "fre", "frq", "tab", "tab1", "tabulate", "one_way", "topline", "value_counts"
)
def frequencies(client: Any, *questions: Any, **named: Any) -> Any:
    """The shares of each answer; of several questions as one table."""
    listed = _flat(questions)
    if len(listed) == 2 and len(questions) == 2:
        return client.crosstab(*listed, **named)
    return (
        client.stats(listed[0], **named) if len(listed) == 1 else client.crosstab(listed, **named)
    )


@said("crosstabs", "ctables", "cross_tab", "xtab", "xtabs", "ctable", "cross", "tab2", "table")
@said("contingency_table", "svytable", "tbl_cross", "crosstabulation", "cross_tabulate")
def crosstabs(client: Any, rows: Any, columns: Any = None, *_: Any, **named: Any) -> Any:
    """A crosstab; of a formula "~ q5 + gender" the rows and the columns."""
    if columns is None and isinstance(rows, str) and "~" in rows:
        listed = _terms(rows)
        rows, columns = listed[0], _one_or_list(listed[1:])
    return client.crosstab(rows, columns, **named)


@said(
    "chisq_test", "chi2", "chi_square", "chisq", "chi_square_test", "svychisq", "chi2_contingency"
)
def chi_square(client: Any, rows: Any, columns: Any = None, statistic: str = "F") -> pd.DataFrame:
    """Whether two questions are related: F of Rao and Scott, and χ², as `svychisq` has them."""
    table = crosstabs(client, rows, columns)
    if statistic.casefold() not in ("f", "chisq", "chi2"):
        write_instead(
            f"statistic={statistic!r} is not computed; F and χ² are.",
            f"{code_of(table)}.test_independence()",
        )
    return table.test_independence()


@said("ttest", "t_test", "svyttest", "ttest_ind", "compare_means_test")
def t_test(client: Any, questions: Any, group: Any = None, **named: Any) -> Any:
    """Whether means differ between groups; options are those of `test`, which refuses others."""
    words = ("by", "groups", "group_by", "groupby")
    by = next((named.pop(name) for name in words if name in named), group)
    questions, by = _outcome(questions, by)
    if by is None:
        line = CallCode("client", "mean", (questions,), {"by": PlainCode('"waves"')})
        write_instead("A test of means needs groups.", f"{line}.test()")
    return client.mean(questions, by).test(**named)


@said("anova", "oneway", "ANOVA", "aov", "f_test", "oneway_test")
def anova(client: Any, questions: Any, group: Any = None, by: Any = None) -> Any:
    """Whether means differ among all groups: the design-based F of a summary table."""
    questions, groups = _outcome(questions, group if by is None else by)
    if groups is None:
        write_instead("A test of means needs groups.", 'client.summary_table(by="waves")')
    return client.summary_table(_terms(questions), groups)


@said("descriptives", "descriptive", "desc", "explore", "summary", "summarize_all", "skim")
def descriptives(client: Any, questions: Any = None, by: Any = None, **named: Any) -> Any:
    """Mean, standard deviation and quartiles of questions with numbers."""
    words = ("split_by", "group", "groupby", "splitby", "split")
    by = next((named.pop(name) for name in words if name in named), by)
    return client.describe(
        *([] if questions is None else [questions]), **({"by": by} if by else {})
    )


@said("banner", "banners", "tables", "tab_plan", "tabbook", "tabs", "banner_tables", "multitable")
def banner(client: Any, *given: Any, **named: Any) -> Any:
    """A tab book; with by= or columns=, what is given first are its questions."""
    words = ("by", "columns", "banner")
    if (word := next((each for each in words if each in named), "")) and given:
        questions = None if given[0] == "all" else given[0]
        return client.tab_book(named.pop(word), questions, **named)
    return client.tab_book(*given, **named)


@said("glm", "svyglm", "lm", "ols", "regression", "logit", "regress", "logistic_regression", "fit")
def regression(client: Any, formula: Any = "", *more: Any, **__: Any) -> Any:
    """Refuse a model with the line of the frame that statsmodels fits."""
    numbers = with_numbers(client)
    terms = [each for each in _flat([formula, *more]) if each in client.catalogue]
    amounts = [each for each in terms if client[each].canonical in numbers]
    named = {"questions": [each for each in terms if each not in amounts], "amounts": amounts}
    line = CallCode(
        "client", "respondents", (), {name: each for name, each in named.items() if each}
    )
    clustered = "cluster" in client.respondents()
    errors = 'cov_type="cluster", cov_kwds={"groups": frame["cluster"]}' if clustered else ""
    write_instead(
        "Models are fitted to respondents, by statsmodels: smf.glm(…, frame, var_weights="
        f'frame["weight"]).fit({errors or """cov_type="HC1" """.strip()}).',
        str(line),
    )


# -- What is counted ------------------------------------------------------------------------------


@said("top2", "top_box", "t2b", "top_2_box", "top2box", "top_two_box", "T2B")
def top_box(client: Any, question: Any, count: int = 2, **_: Any) -> Any:
    """How many people gave one of the highest answers."""
    return client.size(client[question].top_box(count))


@said("bottom2", "bottom_box", "b2b", "bottom_2_box", "bottom2box", "B2B")
def bottom_box(client: Any, question: Any, count: int = 2, **_: Any) -> Any:
    """How many people gave one of the lowest answers."""
    return client.size(client[question].bottom_box(count))


@said("net", "nets", "combine")
def net(client: Any, question: Any, *answers: Any, **_: Any) -> Any:
    """How many people gave one of several answers."""
    return client.size(client[question].net(*answers))


@said("rename", "rename_columns", "set_labels", "set_variable_labels")
def rename(client: Any, names: Any = None, **named: Any) -> Any:
    """The client, whose questions have other names."""
    for question, name in {**(names or named.pop("columns", {})), **named}.items():
        client.edit(question, name=name)
    return client


@said("unweighted", "no_weight", "without_weight")
def unweighted(client: Any) -> Any:
    """The client that counts every respondent as one."""
    return client.with_options(weight=None)


@said("weight_by", "set_weight", "with_weight", "use_weight", "set_weights", "reweight")
def weight_by(client: Any, weight: Any = None) -> Any:
    """The client with another weight."""
    return client.with_options(weight=weight)


@said("set_design", "with_design", "svydesign", "as_survey_design", "as_survey", "use_design")
def set_design(client: Any, **named: Any) -> Any:
    """The client with another design of its sample."""
    if "id" in named:
        named["clusters"] = named.pop("id")
    return client.design(**{name: _without_tilde(each) for name, each in named.items()})


@said("calibrate", "postStratify", "post_stratify", "poststratify")
def calibrate(client: Any, formula: Any, population: Any = None, **named: Any) -> Any:
    """Rake to population counts or shares of the questions of a formula."""
    targets = formula
    if isinstance(formula, str):
        population = named.pop("targets", named.pop("margins", population))
        targets = {_terms(formula)[0]: population}
    return client.rake(targets, **named)


@said("subset_columns", "select", "pick")
def select(client: Any, *questions: Any) -> Any:
    """Some questions."""
    return client[_flat(questions)]


# -- Charts ---------------------------------------------------------------------------------------


@said("hist", "histogram", "histplot", "svyhist")
def histogram(client: Any, question: Any, bins: int = 10) -> Any:
    """Bars of equal bins of the numbers of a question; of the answers where it has none."""
    asked = client[question] if isinstance(question, str) else question
    if asked.canonical not in with_numbers(client):
        return client.stats(asked).chart.bar()
    return client.crosstab({asked.name: asked.bins(equal_edges(asked, bins))}).chart.bar()


@said("plot", "bar", "barh", "barplot", "bar_chart", "pie", "countplot")
@said("plot_bar", "chart")
def plot(client: Any, question: Any, by: Any = None, **_: Any) -> Any:
    """A chart of the answers to a question, by groups."""
    result = client.stats(question) if by is None else client.crosstab(question, by)
    return result.chart.bar()


@said("boxplot", "svyboxplot", "violinplot", "pointplot", "box")
def box_plot(client: Any, questions: Any, by: Any = None, **named: Any) -> Any:
    """A chart of means with their intervals, by groups."""
    questions, by = _outcome(questions, named.get("x", by))
    return client.mean(questions, by).chart.points()


# -- Arguments ------------------------------------------------------------------------------------


def _terms(given: Any) -> list[Any]:
    """The questions of a formula "~ a + b", or of a list."""
    if isinstance(given, str):
        return list(read_formula(given))
    return [*given] if isinstance(given, list | tuple) else [given]


def _outcome(questions: Any, by: Any) -> tuple[Any, Any]:
    """The questions and the groups of "income ~ gender"."""
    if isinstance(questions, str) and "~" in questions.strip().lstrip("~"):
        left, _, right = questions.partition("~")
        return _one_or_list(_terms(left)), _one_or_list(_terms(right))
    questions = _one_or_list(_terms(questions)) if isinstance(questions, str) else questions
    return questions, by if by is None else _one_or_list(_terms(by))


def _one_or_list(given: list[Any]) -> Any:
    return given[0] if len(given) == 1 else given


def _flat(given: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for each in given:
        found += each if isinstance(each, list | tuple) else _terms(each)
    return found


def _without_tilde(given: Any) -> Any:
    return given.strip().lstrip("~").strip() if isinstance(given, str) else given
