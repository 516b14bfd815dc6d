"""`audiencelab connections`, as it is typed."""

import tomllib
from pathlib import Path

import pytest

import audiencelab as al
from audiencelab.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["connections", *arguments])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def test_a_deployment_is_added_listed_and_forgotten(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(capsys, "add", "team", "https://team.example/api/", "--title", "Our team")
    assert code == 0
    assert "al.connect('https://team.example/api')" in said
    assert '"https://team.example" = "…"' in said
    assert tomllib.loads(file.read_text()) == {
        "team": {"url": "https://team.example/api", "title": "Our team"}
    }
    code, said = run(capsys, "list")
    assert "team  deployment  https://team.example/api  (file; no token found)" in said
    assert said.startswith("* demo")
    code, said = run(capsys, "remove", "team")
    assert code == 0
    assert tomllib.loads(file.read_text()) == {}


def test_what_is_written_wrongly_is_listed_with_an_exclamation_mark(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text("team = 3")
    code, said = run(capsys, "list")
    assert code == 0
    *_, problem = said.splitlines()
    assert problem.startswith("! ")
    assert "an address or a folder" in problem


def test_a_survey_is_opened_before_it_is_written_down(
    file: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, said = run(capsys, "add", "mine", str(tmp_path))
    assert code == 2
    assert "is not a survey" in said
    assert not file.exists()
    folder = al.demo_survey().path
    assert run(capsys, "add", "mine", str(folder))[0] == 0
    assert tomllib.loads(file.read_text()) == {"mine": {"survey": str(folder)}}


def test_what_a_user_wrote_into_the_file_stays(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text('# ours\n[one]\nurl = "https://one.example"')
    run(capsys, "add", "two", "https://two.example")
    assert file.read_text().startswith("# ours\n")
    assert set(tomllib.loads(file.read_text())) == {"one", "two"}


def test_a_name_is_taken_over_only_when_asked(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "add", "team", "https://one.example")
    code, said = run(capsys, "add", "team", "https://two.example")
    assert code == 2
    assert "--replace" in said
    assert run(capsys, "add", "team", "https://two.example", "--replace")[0] == 0
    assert "two.example" in file.read_text()


def test_plain_http_to_another_machine_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert "the token is not sent" in run(capsys, "add", "a", "http://team.example")[1]
    assert "the token is not sent" not in run(capsys, "add", "b", "http://127.0.0.1:8000")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "demo", "https://x.example"], "always there"),
        (["add", "a b", "https://x.example"], "letters, digits"),
        (["add", "team", "https://ada:pw@x.example"], "user name or password"),
        (["remove", "team"], "names no connection 'team'"),
        (["check", "team"], "There are: demo."),
    ],
)
def test_mistakes_are_said_in_a_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = run(capsys, *arguments)
    assert code == 2
    assert words in said


def test_checking_the_demo_survey(capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(capsys, "check", "demo")
    assert code == 0
    assert said.startswith("demo: Ready: 76 questions in 12 waves.")


def test_checking_what_does_not_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "canary-9d1c")
    run(capsys, "add", "gone", "http://127.0.0.1:9")
    code, said = run(capsys, "check", "gone")
    assert code == 1
    assert "gone: unreachable." in said
    assert "canary" not in said


def test_checking_a_real_deployment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with al.serve(token="right-token-1") as url:
        run(capsys, "add", "team", url)
        monkeypatch.setenv("AUDIENCELAB_TOKEN", "wrong-token-1")
        code, said = run(capsys, "check", "team")
        assert code == 1
        assert "team: refused. The service does not know the token from AUDIENCELAB_TOKEN." in said
        assert "wrong-token" not in said
        monkeypatch.setenv("AUDIENCELAB_TOKEN", "right-token-1")
        code, said = run(capsys, "check", "team")
        assert code == 0
        assert "76 questions" in said
