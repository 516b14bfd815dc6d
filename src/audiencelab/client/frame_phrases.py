"""Words for the members of a frame of pandas, of a client: `client.head()`, `client.columns`.

They are read of the respondents, which have one column for each question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from audiencelab.client.grouped import Located
from audiencelab.said import Phrases

if TYPE_CHECKING:
    import pandas as pd

said = Phrases()

_OF_FRAMES = frozenset(
    (
        *("sample", "dtypes", "index", "iloc", "sort_values", "isna", "notna", "isnull", "nunique"),
        *("duplicated", "drop", "dropna", "astype", "to_csv", "to_excel", "to_parquet", "to_dict"),
        *("itertuples", "iterrows", "assign_index", "set_index", "to_stata", "to_json", "to_sql"),
        *("values", "to_numpy", "melt", "at", "iat", "select_dtypes", "memory_usage"),
    )
)
"""Members of a frame of pandas that are those of the respondents."""


def frame_phrase(client: Any, name: str) -> Callable[[], Any] | None:
    """What reads a word for a member of a frame; None for another name."""
    if (found := said.of(client, name)) is not None:
        return found
    return (lambda: getattr(respondents_of(client), name)) if name in _OF_FRAMES else None


@said("to_pandas", "to_frame", "to_df", "to_dataframe", "as_data_frame", "as_tibble", "collect")
def respondents_of(client: Any, *_: Any) -> pd.DataFrame:
    """Every respondent with every question, in columns that are named as in the file."""
    found: dict[str, Any] = {}
    for question in client.catalogue:
        frame = answers_of(client, question)
        names = [*frame]
        if question.record.kind in ("multiple", "grid"):
            named = dict(zip(names, (each.code for each in question.datapoints), strict=True))
            frame = frame.rename(columns=named)
        else:
            frame = frame.rename(columns={names[0]: question.code})
        found |= {str(name): frame[name] for name in frame}
    import pandas as pd

    design = client.respondents()
    return pd.DataFrame({**{str(name): design[name] for name in design}, **found})


def answers_of(client: Any, question: Any) -> pd.DataFrame:
    """The columns of a question alone: its numbers, if respondents gave some, else its answers."""
    beside = {*client.respondents().columns}
    numbers = question.canonical in with_numbers(client)
    chosen = {"amounts" if numbers else "questions": [question.code]}
    frame = client.respondents(**chosen)
    return frame[[name for name in frame if name not in beside]]


def with_numbers(client: Any) -> frozenset[str]:
    """The questions whose numbers the survey keeps, by their full codes."""
    from audiencelab.client.catalogue.amounts import numbered_questions

    return numbered_questions(client.service)


def equal_edges(question: Any, bins: int) -> list[float]:
    """The lower edges of equal bins of the numbers that respondents gave."""
    numbers = answers_of(question.client, question).iloc[:, 0].dropna()
    low, high = float(numbers.min()), float(numbers.max())
    width = (high - low) / max(bins, 1)
    whole = bool((numbers % 1 == 0).all())
    width = max(1.0, float(-(-width // 1))) if whole else width
    edges = [low + width * at for at in range(max(bins, 1)) if low + width * at <= high]
    return [int(each) if whole else each for each in edges]


@said("head")
def head(client: Any, n: int = 5) -> pd.DataFrame:
    """The first respondents."""
    return respondents_of(client).head(n)


@said("tail")
def tail(client: Any, n: int = 5) -> pd.DataFrame:
    """The last respondents."""
    return respondents_of(client).tail(n)


@said("glimpse", "info", "codebook", "variables", "variable_view", "data_dictionary", "dictionary")
def listed_questions(client: Any, *_: Any) -> pd.DataFrame:
    """A row for each answer of each question."""
    return client.catalogue.to_frame()


@said("look_for", "lookfor", "search", "find", "find_question", "search_questions")
def found_questions(client: Any, words: str) -> Any:
    """The questions in which words occur."""
    return client.catalogue.search(words)


@said("columns", "names", "colnames", "keys", shown=True)
def columns(client: Any) -> list[str]:
    """The codes of the questions."""
    return [question.code for question in client.catalogue]


@said("n", "nobs", "sample_size", "nrow", "n_respondents", shown=True)
def sample_size(client: Any) -> int:
    """How many respondents there are."""
    return _Respondents(len(client)).of(client)


class _Respondents(int):
    """A number of respondents, which may be called for those in an audience."""

    _client: Any

    def of(self, client: Any) -> _Respondents:
        self._client = client
        return self

    def __call__(self, audience: Any = None) -> Any:
        return self if audience is None else self._client.size(audience)


@said("variable_labels", "var_labels", "metadata", "meta", "labels_of_variables", shown=True)
def variable_labels(client: Any) -> dict[str, str]:
    """The labels of the variables by their names."""
    return {question.code: question.name for question in client.catalogue}


@said("question", "get", "get_question", "variable", "column")
def question_of(client: Any, name: str) -> Any:
    """A question by its name or code."""
    return client[name]


@said("value_labels", "val_labels", "labels", "levels")
def labels_of(client: Any, question: Any) -> Any:
    """The labels of the answers to a question."""
    return client[question].value_labels


@said("unique")
def unique(client: Any, question: Any) -> list[str]:
    """The answers to a question."""
    return client[question].unique()


@said("shape", "dim", shown=True)
def shape(client: Any) -> tuple[int, int]:
    """Respondents and questions."""
    return len(client), len(client.catalogue)


@said("df", "data", shown=True)
def data(client: Any) -> pd.DataFrame:
    """See `respondents_of`."""
    return respondents_of(client)


@said("loc", shown=True)
def located(client: Any) -> Located:
    """The client as pandas chooses rows and columns of a frame."""
    return Located(client)
