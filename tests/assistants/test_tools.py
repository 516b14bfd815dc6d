"""The tools for assistants, asked by the protocol's own client."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pandas as pd
import pytest
from mcp import Client as Assistant
from mcp import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

import audiencelab as al
from audiencelab.assistants.tools import server
from audiencelab.render.text_forms import markdown_text
from audiencelab.service.credentials import Credential, digest_of, write_credentials

MEN = [{"question": "Gender", "answers": ["Male"]}]
YOUNG_WOMEN = [
    {"question": "q2", "answers": ["q2_2"]},
    {"question": "Age", "answers": ["45 to 54", "55 to 64", "65 and over"], "exclude": True},
]


@pytest.fixture(scope="module")
def client() -> al.Client:
    return al.connect(survey=al.demo_survey(2_400))


def ask(client: al.Client, tool: str, **arguments: Any) -> Any:
    """The structured answer of a tool; a string for a refusal."""

    async def call() -> Any:
        async with Assistant(
            server(client, "al.connect(survey=al.demo_survey(2_400))")
        ) as assistant:
            answer = await assistant.call_tool(tool, arguments)
            return answer.content[0].text if answer.is_error else answer.structured_content  # type: ignore[union-attr]

    return anyio.run(call)


def run(python: str) -> Any:
    """What the last line of the Python of an answer gives."""
    *before, last = python.splitlines()
    names: dict[str, Any] = {"al": al}
    exec("\n".join(before), names)
    return eval(last.removeprefix("print"), names)


def cells(table: str, label: str) -> list[str]:
    """The cells of a Markdown table's row, after its label."""
    (row,) = [line for line in table.splitlines() if line.startswith(f"| {label} |")]
    return [each.strip() for each in row.split("|")[2:-1]]


def test_questions_are_found_by_name_and_answer(client: al.Client) -> None:
    found = ask(client, "find_questions", text="social")
    assert "q20" in [each["code"] for each in found["questions"]]
    corrected = ask(client, "find_questions", text="gendr")
    assert [each["code"] for each in corrected["questions"]] == ["q2"]
    assert corrected["note"].endswith("found by 'gender' in place of 'gendr'")
    every = ask(client, "find_questions", limit=5)
    assert (every["total"], len(every["questions"])) == (len(list(client.catalogue.questions)), 5)


def test_every_tool_is_marked_as_one_that_reads(client: al.Client) -> None:
    async def listed() -> Any:
        async with Assistant(server(client)) as assistant:
            return (await assistant.list_tools()).tools

    tools = anyio.run(listed)
    assert len(tools) == 5
    assert all(each.annotations and each.annotations.read_only_hint for each in tools)


def test_a_question_has_its_shares(client: al.Client) -> None:
    answer = ask(client, "describe_question", question="Gender")
    expected = client.frequencies("Gender").to_frame()
    assert cells(answer["table"], "Male") == [
        f"{expected['column_percentage'][0]:.1f}%",
        f"{expected['sample'][0]:,}",
    ]
    assert answer["base"] == "all respondents, n = 2,400"
    assert run(answer["python"]).to_frame().equals(expected)


@pytest.mark.parametrize("who", ["valid", "everyone"])
def test_whom_a_tool_counts_is_named_and_can_be_chosen(client: al.Client, who: str) -> None:
    given = {"rows": ["Finding brands"], "columns": ["Age"], "base_of": who}
    answer = ask(client, "crosstab", **given)
    assert f"base_of={who!r}" in answer["python"]
    valid = who == "valid"
    assert answer["base"].startswith("those who" if valid else "all respondents, n = ")
    size = ask(client, "audience_size", audience=MEN, base_of=who)
    assert size["base"].startswith("those who" if valid else "all respondents, n = ")
    assert "base_of" in ask(client, "describe_question", question="Gender", base_of="some")


def test_a_size_is_that_of_all_conditions(client: al.Client) -> None:
    answer = ask(client, "audience_size", audience=YOUNG_WOMEN)
    women, age = client["Gender"] == "Female", client["Age"]
    expected = client.size(women & ~age.any("45 to 54", "55 to 64", "65 and over"))
    assert f"{expected.size:,.0f}" in answer["table"]
    assert f"{expected.sample:,.0f}" in answer["table"]
    assert run(answer["python"]) == expected
    assert ask(client, "audience_size", audience=[])["table"].endswith("100.0% |")


def test_a_condition_may_be_numbers(client: al.Client) -> None:
    between = [{"question": "Age", "min": 18, "max": 34}]
    answer = ask(client, "audience_size", audience=between)
    assert run(answer["python"]) == client.size(client["Age"].between(18, 34))
    from_55 = [{"question": "Age", "min": 55, "exclude": True}]
    answer = ask(client, "audience_size", audience=from_55)
    assert run(answer["python"]) == client.size(~(client["Age"] >= 55))
    refused = ask(client, "audience_size", audience=[{**between[0], "answers": ["18 to 24"]}])
    assert "not both" in refused


def test_a_crosstab_has_bases_tests_and_the_python_that_repeats_it(client: al.Client) -> None:
    answer = ask(client, "crosstab", rows=["Finding brands"], columns=["Age"], base=MEN)
    table = client.crosstab(
        rows=["Finding brands"], columns=["Age"], base_audience=client["Gender"] == "Male"
    )
    expected = table.to_markdown(comparison=table.test())
    figures = [line for line in expected.splitlines() if line.startswith("|")]
    assert [line for line in answer["table"].splitlines() if line.startswith("|")] == figures
    assert answer["base"].startswith("Gender is Male")
    assert answer["method"] == table.test().method_note
    again = [line for line in run(answer["python"]).splitlines() if line.startswith("|")]
    assert again == figures


def test_a_profile_leaves_out_what_people_were_chosen_by(client: al.Client) -> None:
    answer = ask(client, "profile", audience=MEN, limit=3)
    frame = run(answer["python"])
    frame = frame[frame["question"] != "q2"]
    largest = frame.loc[frame["difference"].abs().idxmax()]
    assert "Gender" not in answer["table"]
    assert answer["table"].splitlines()[2].split(" | ")[1] == largest["datapoint_label"]
    assert len(answer["table"].splitlines()) == 5


def test_a_profile_marks_what_stands_out(client: al.Client) -> None:
    answer = ask(client, "profile", audience=MEN, limit=40)
    standouts = client.profile(client["Gender"] == "Male").standouts(1000)
    differ = {row.datapoint_label: row.difference > 0 for row in standouts.itertuples()}
    lines = [line.strip("| ").split(" | ") for line in answer["table"].splitlines()[2:]]
    marks = {cells[1]: cells[6:] for cells in lines}
    assert any(marks.values())
    assert marks == {
        name: ["▲" if differ[name] else "▼"] if name in differ else [] for name in marks
    }
    assert answer["method"] == markdown_text(standouts.attrs["method_note"])


def test_a_profile_is_adjusted_with_the_python_that_repeats_it(client: al.Client) -> None:
    answer = ask(client, "profile", audience=MEN, questions=["Sleep"], adjust=["Age"], limit=1)
    frame = run(answer["python"])
    largest = frame.loc[frame["adjusted_difference"].abs().idxmax()]
    cells = [cell.strip() for cell in answer["table"].splitlines()[2].strip("| ").split("|")]
    assert cells[3] == f"{largest['adjusted_percentage']:.1f}%"
    assert cells[5] == f"{largest['adjusted_index']:.0f}"
    assert "composition by Age" in answer["method"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("describe_question", {"question": "Gender"}),
        ("audience_size", {"audience": MEN}),
        ("crosstab", {"rows": ["Gender"], "columns": ["Age"]}),
        ("profile", {"audience": MEN, "questions": ["Age"]}),
    ],
)
def test_an_answer_names_the_version_of_the_survey(
    client: al.Client, tool: str, arguments: dict[str, Any]
) -> None:
    version = client.stats("Gender").provenance["survey_version"]
    assert ask(client, tool, **arguments)["survey_version"] == version


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    labels = ("![x](http://evil.example/b.png)", "<img onerror=x>", "a\x1b[2J|b\u202e")
    frame = pd.DataFrame({"drink": labels * 40, "wgt_*b*": 1.0})
    frame["by"] = frame["drink"].str[::-1]
    with al.open(
        frame, weight="wgt_*b*", to=tmp_path_factory.mktemp("survey") / "s", quiet=True
    ) as client:
        yield client


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("describe_question", {"question": "drink"}),
        ("audience_size", {"audience": [{"question": "drink"}]}),
        ("crosstab", {"rows": ["drink"], "columns": ["by"], "base": [{"question": "by"}]}),
        ("profile", {"audience": [{"question": "by"}], "base": [{"question": "drink"}]}),
    ],
)
def test_labels_are_plain_text_in_markdown(
    hostile: al.Client, tool: str, arguments: dict[str, Any]
) -> None:
    answer = ask(hostile, tool, **arguments)
    for field in ("table", "base", "waves", "weight"):
        assert not re.search(r"(?<!\\)[\[<]|(?<!\\)\*b|[\x00-\x08\x1b\u202e]", answer[field]), field
    if tool != "audience_size":
        assert r"!\[x\](http://evil.example/b.png)" in answer["table"]


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("describe_question", {"question": "Gendr"}, "Did you mean 'q2' (Gender)?"),
        ("crosstab", {"rows": ["Gender"], "columns": ["Nope"]}, "Unknown question 'Nope'"),
        ("audience_size", {"audience": [{"question": "Age", "answers": ["x"]}]}, "'x'"),
        ("profile", {"audience": []}, "at least one condition"),
    ],
)
def test_what_cannot_be_asked_is_answered_with_the_reason(
    client: al.Client, tool: str, arguments: dict[str, Any], message: str
) -> None:
    assert message in ask(client, tool, **arguments)


def test_an_assistant_starts_the_command_itself() -> None:
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "audiencelab", "mcp"], env=dict(os.environ)
    )

    async def call() -> Any:
        async with Assistant(stdio_client(command)) as assistant:
            answer = await assistant.call_tool("audience_size", {"audience": MEN})
            return answer.structured_content

    answer = anyio.run(call)
    assert answer["python"].startswith("client = al.connect(survey=al.demo_survey())")


def test_the_command_withholds_figures_on_few_respondents(tmp_path: Path) -> None:
    arguments = ["-m", "audiencelab", "mcp", "--minimum-base", "600"]
    command = StdioServerParameters(command=sys.executable, args=arguments, env={**os.environ})
    young_men = [*MEN, {"question": "Age", "answers": ["18 to 24"]}]
    asked = [
        ("audience_size", {"audience": young_men}),
        ("crosstab", {"rows": ["Age"], "columns": ["Gender"]}),
        ("profile", {"audience": MEN, "questions": ["Age"]}),
    ]

    log = tmp_path / "log"

    async def call() -> list[str]:
        with log.open("w") as file:
            async with Assistant(stdio_client(command, errlog=file)) as assistant:
                answers = [await assistant.call_tool(tool, arguments) for tool, arguments in asked]
                return [each.structured_content["table"] for each in answers]

    size, crosstab, profile = anyio.run(call)
    assert log.read_text() == ""
    assert "| suppressed | suppressed | suppressed |" in size
    assert "14 cells withheld by the service." in crosstab
    assert "| 18 to 24 | suppressed | 11.6% | suppressed | suppressed |" in profile


def test_over_http_only_known_credentials_are_answered(tmp_path: Path) -> None:
    file = tmp_path / "team.toml"
    write_credentials(file, {"assistant": Credential([digest_of("known")])})
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    arguments = ["mcp", "--http", "--port", str(port), "--credentials", str(file)]
    with subprocess.Popen([sys.executable, "-m", "audiencelab", *arguments]) as process:
        try:
            url = f"http://127.0.0.1:{port}/mcp"
            for _ in range(600):
                try:
                    found = httpx.post(url, json={}, trust_env=False, timeout=60)
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            assert found.status_code == 401
            assert found.headers["content-type"] == "application/problem+json"

            async def call() -> Any:
                headers = {"Authorization": "Bearer known"}
                async with (
                    httpx2.AsyncClient(headers=headers, trust_env=False, timeout=60) as http,
                    Assistant(streamable_http_client(url, http_client=http)) as assistant,
                ):
                    answer = await assistant.call_tool("audience_size", {"audience": MEN})
                    return answer.structured_content

            assert anyio.run(call)["base"] == "all respondents, n = 8,000"
        finally:
            process.kill()


def test_open_answers_are_of_no_tool(tmp_path: Path) -> None:
    secret = "Zebras drink marmalade at dawn"
    rows = range(90)
    frame = pd.DataFrame({"sex": [row % 2 for row in rows], "why": [f"{secret} {r}" for r in rows]})
    client = al.open(frame, to=tmp_path / "survey", quiet=True)
    assert client.respondents(text=True).why.str.startswith(secret).all()
    asked = [
        ask(client, "find_questions", text="why"),
        ask(client, "crosstab", rows=["why"], columns=["sex"]),
        ask(client, "crosstab", rows=["sex"], columns=["sex"]),
    ]
    assert secret not in repr(asked)
