"""Which connections there are, in which order, and what is reported of invalid ones."""

import sys
from pathlib import Path

import pytest

from audiencelab.jupyter.connections.connection import Connection
from audiencelab.jupyter.connections.registry import connections_file, list_connections


def found(name: str) -> Connection:
    connection = list_connections().find(name)
    assert connection is not None
    return connection


def test_the_demo_survey_is_always_there() -> None:
    listing = list_connections()
    (demo,) = listing.connections
    assert (demo.name, demo.kind, demo.source) == ("demo", "demo", "built in")
    assert demo.code == "al.connect()"
    assert (listing.default, listing.problems) == ("demo", ())


def test_the_environment_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", "https://research.example/api")
    assert list_connections().default == "environment"
    environment = found("environment")
    assert (environment.kind, environment.code) == ("deployment", "al.connect()")
    # Without an argument, a notebook would connect to the remote service.
    assert found("demo").code == "al.connect(survey=al.demo_survey())"


@pytest.mark.parametrize(
    ("variable", "value", "kind"),
    [("AUDIENCELAB_SURVEY", "survey", "survey"), ("AUDIENCELAB_SNAPSHOT", "a.jsonl", "snapshot")],
)
def test_surveys_and_snapshots_of_the_environment(
    variable: str, value: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    assert found("environment").kind == kind
    assert found("environment").target == str(Path(value).absolute())


def test_the_file_is_in_the_configuration_folder_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUDIENCELAB_CONNECTIONS")
    assert connections_file().parts[-2:] == ("audiencelab", "connections.toml")
    if sys.platform == "linux":
        assert connections_file().is_relative_to(tmp_path / "config")


def test_an_ambiguous_environment_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", "https://research.example")
    monkeypatch.setenv("AUDIENCELAB_SURVEY", "survey")
    listing = list_connections()
    assert listing.default == "demo"
    assert "got 2: AUDIENCELAB_BASE_URL and" in listing.problems[0]
    assert "\n" not in listing.problems[0]


def test_configuration_and_file_in_their_order(file: Path) -> None:
    file.write_text('[team]\nurl = "https://other.example"\n\n[mine]\nsurvey = "/data/mine"\n')
    configured = {"team": "https://team.example/", "wide": {"survey": "s3://b/p", "title": "Wide"}}
    listing = list_connections(configured)
    assert [(each.name, each.source) for each in listing.connections] == [
        ("demo", "built in"),
        ("team", "configuration"),
        ("wide", "configuration"),
        ("mine", "file"),
    ]
    _, team, wide, _ = listing.connections
    assert team.code == "al.connect('https://team.example')"
    assert (wide.title, wide.code) == ("Wide", "al.connect(survey='s3://b/p')")
    assert listing.problems == ("Connection 'team' is named twice; configuration has it.",)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('"a/b" = {url = "https://x.example"}', "letters, digits"),
        ("team = {}", "one of url and survey"),
        ('team = {url = "https://x.example", survey = "y"}', "one of url and survey"),
        ('team = {url = "ftp://x.example"}', "must begin with https://"),
        ('team = {url = "https://ada:SECRET@x.example"}', "user name or password"),
        ('team = {url = "https://x.example", token = "SECRET"}', "A token does not belong here"),
        ("team = 3", "an address or a folder"),
        ("team = {survey = 3}", "survey names a folder"),
        ('demo = "https://x.example"', "named twice"),
        ("[team\nSECRET", "is not written as TOML (at line 1"),
    ],
)
def test_invalid_entries_are_reported_and_left_out(file: Path, entry: str, words: str) -> None:
    file.write_text(entry)
    listing = list_connections()
    assert [each.name for each in listing.connections] == ["demo"]
    (problem,) = listing.problems
    assert words in problem
    assert "SECRET" not in problem


def test_an_unreadable_file_is_reported(file: Path) -> None:
    file.mkdir()
    (problem,) = list_connections().problems
    assert "cannot be read" in problem
