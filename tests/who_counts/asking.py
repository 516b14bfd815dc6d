"""The tables of a case: rows and columns by the labels of its figures."""

from __future__ import annotations

import audiencelab as al
from audiencelab.expressions import Expression
from tests.who_counts.cases import Case


def question(client: al.Client) -> str:
    """The code of the one question that a case is about."""
    [code] = {each.code for each in client.catalogue.questions} - {"sex", "location"}
    return code


def row(client: al.Client, label: str) -> Expression:
    """What the label of a row says."""
    code = question(client)
    if label.startswith("not "):
        return ~row(client, label.removeprefix("not "))
    if ", or " in label:
        first, second = label.split(", or ")
        return row(client, first) | row(client, second)
    if label == "two":
        return al.Q(code).at_least(2, *(point(client, each) for each in ("Tea", "Milk", "Beer")))
    item, _, answer = label.partition(": ")
    if answer:
        [suffix] = [x.code for x in client.catalogue[code].suffixes if x.name == answer]
        return al.Q(code, suffixes=[suffix]).any(point(client, item))
    return al.Q(code).any(*(point(client, each) for each in label.split(" or ")))


def column(client: al.Client, label: str) -> al.Audience:
    """A column: everyone, a sex, or a wave by its number."""
    if label == "all":
        return al.Audience("all")
    if label.isdigit():
        return al.Q("waves").any(f"wave_{label}").named(label)
    return (client["Sex"] == label).named(label)


def point(client: al.Client, name: str) -> str:
    """The code of an answer by its name."""
    [code] = [
        each.code for each in client.catalogue[question(client)].datapoints if each.name == name
    ]
    return code


def table(client: al.Client, case: Case, *names: str) -> al.CrosstabResult:
    """All rows of a case, in the columns of these names or in all, by the survey's own default."""
    labels = names or tuple(next(iter(case.figures.values())))
    rows = [row(client, label).named(label) for label in case.figures]
    return client.crosstab(rows, [column(client, each) for each in labels])
