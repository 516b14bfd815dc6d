"""One answer by its denominators, as other programs have it: of all men asked, and of who ticked.

"Where have you gotten your ideas about what it means to be a good man?" was asked of all 1,615
men of the masculinity survey. *Father* was published as 64%; to two digits it is 63.54% of all
of them, and 64.09% of those who ticked anything, as multiple response sets have it in programs
that drop whoever ticked nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from audiencelab import Client, Q, answered, connect
from audiencelab.survey import Survey

IDEAS = "q0004"


@pytest.fixture(scope="module")
def client(masculinity_survey: Survey) -> Iterator[Client]:
    with connect(survey=masculinity_survey) as connected:
        yield connected


def father(client: Client) -> str:
    [code] = [
        point.code for point in client.catalogue[IDEAS].datapoints if "father" in point.name.lower()
    ]
    return code


def test_of_all_who_were_asked(client: Client) -> None:
    line = client.stats(IDEAS, datapoints=[father(client)]).to_frame().iloc[0]
    assert round(line["column_percentage"], 2) == 63.54
    assert line["column_sample"] == 1_615, "who ticked nothing is in the base"


def test_of_those_who_ticked_anything(client: Client) -> None:
    base = answered(IDEAS, client.catalogue)
    line = client.stats(IDEAS, datapoints=[father(client)], base_audience=base).to_frame().iloc[0]
    assert round(line["column_percentage"], 2) == 64.09
    silent = client.crosstab(rows=[~Q(IDEAS).any()]).to_frame().iloc[0]
    assert silent["sample"] == 1_615 - line["column_sample"] > 0


def test_of_all_answers_given(client: Client) -> None:
    result = client.stats(IDEAS)
    shares = result.shares_of_responses().set_index("datapoint")
    given = result.to_frame()["size"].sum()
    share = 100 * shares.loc[father(client), "size"] / given
    assert shares.loc[father(client), "response_percentage"] == pytest.approx(share)
    assert shares["response_percentage"].sum() == pytest.approx(100)
    assert share < 63
