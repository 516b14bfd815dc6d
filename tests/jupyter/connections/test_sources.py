"""Which connections there are, in which order, and what is said of those that are none."""

import sys
from pathlib import Path

import pytest

from audiencelab.jupyter.connections.file import connections_file
from audiencelab.jupyter.connections.sources import known


def test_without_anything_there_is_the_demo_survey() -> None:
    listing = known()
    (demo,) = listing.connections
    assert (demo.name, demo.kind, demo.code, demo.source) == (
        "demo",
        "demo",
        "al.connect()",
        "built in",
    )
    assert listing.default == "demo"
    assert listing.problems == ()


def test_the_environment_comes_first_and_the_demo_is_still_reached(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", "https://research.example/api")
    listing = known()
    assert listing.default == "environment"
    environment, demo = listing.find("environment"), listing.find("demo")
    assert environment is not None
    assert demo is not None
    assert (environment.kind, environment.code) == ("deployment", "al.connect()")
    # With no argument a notebook would connect to what the environment says.
    assert demo.code == "al.connect(survey=al.demo_survey())"


@pytest.mark.parametrize(
    ("variable", "value", "kind"),
    [("AUDIENCELAB_SURVEY", "survey", "survey"), ("AUDIENCELAB_SNAPSHOT", "a.jsonl", "snapshot")],
)
def test_surveys_and_snapshots_of_the_environment(
    variable: str, value: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    found = known().find("environment")
    assert found is not None
    assert found.kind == kind
    assert found.target == str(Path(value).absolute())


def test_without_a_name_the_file_stands_in_the_configuration_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUDIENCELAB_CONNECTIONS")
    found = connections_file()
    assert found.parts[-2:] == ("audiencelab", "connections.toml")
    if sys.platform == "linux":
        assert found.is_relative_to(tmp_path / "config")


def test_an_environment_that_says_two_things_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", "https://research.example")
    monkeypatch.setenv("AUDIENCELAB_SURVEY", "survey")
    listing = known()
    assert listing.default == "demo"
    assert "got 2: AUDIENCELAB_BASE_URL and" in listing.problems[0]
    assert "\n" not in listing.problems[0]


def test_configuration_and_file_in_their_order(file: Path) -> None:
    file.write_text('[team]\nurl = "https://other.example"\n\n[mine]\nsurvey = "/data/mine"\n')
    configured = {"team": "https://team.example/", "wide": {"survey": "s3://b/p", "title": "Wide"}}
    listing = known(configured)
    assert [(each.name, each.source) for each in listing.connections] == [
        ("demo", "built in"),
        ("team", "configuration"),
        ("wide", "configuration"),
        ("mine", "file"),
    ]
    team, wide = listing.find("team"), listing.find("wide")
    assert team is not None
    assert wide is not None
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
    ],
)
def test_what_is_written_wrongly_is_told_and_left_out(file: Path, entry: str, words: str) -> None:
    file.write_text(entry)
    listing = known()
    assert [each.name for each in listing.connections] == ["demo"]
    (problem,) = listing.problems
    assert words in problem
    assert "SECRET" not in problem


def test_a_file_that_is_no_toml_is_told_without_quoting_it(file: Path) -> None:
    file.write_text("[team\nSECRET")
    (problem,) = known().problems
    assert "is not written as TOML" in problem
    assert "line 1" in problem
    assert "SECRET" not in problem


def test_a_file_that_cannot_be_read_is_told(file: Path) -> None:
    file.mkdir()
    (problem,) = known().problems
    assert "cannot be read" in problem
