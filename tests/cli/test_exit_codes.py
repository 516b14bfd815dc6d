"""Exit codes of every command: 0 done, 1 a check found something, 2 the user can fix it."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from audiencelab import cli
from tests.cli.test_cli import COMMANDS

NOWHERE = "http://127.0.0.1:9"

CASES = """
2 lab missing.ipynb
2 lab --survey missing
2 lite site --survey missing
0 connections list
0 connections add team http://127.0.0.1:9
2 connections add nowhere http://127.0.0.1:9
1 connections check nowhere
2 connections check missing
0 connections remove nowhere
2 connections remove missing
2 serve --survey missing
2 serve --port 99999999
2 serve --token-file missing
2 serve --credentials broken.toml
2 mcp --survey missing
2 mcp --survey survey --url http://127.0.0.1:9
2 mcp --url http://127.0.0.1:9
0 credentials add team.toml bob
0 credentials list team.toml
0 credentials revoke team.toml ann
2 credentials add broken.toml ann
2 credentials list missing.toml
2 credentials revoke team.toml zed
0 codebook answers.csv -o drafted.toml -q
2 codebook answers.csv -o survey.toml
2 codebook missing.csv -o other.toml
0 codebook answers.csv -q
0 import answers.csv -o imported -q
2 import answers.csv -o survey
2 import broken.sav -o other
2 import answers.csv -o other --weight missing
2 import answers.csv -o other --codebook broken.toml
2 import answers.csv -o other --encoding nonsense
0 cache list
0 cache clear
2 cache list --nonsense
2 cache clear --nonsense
0 survey info survey
0 survey codebook survey
2 survey codebook missing
2 survey info missing
0 survey info answers.csv
0 survey info survey --find tea
0 survey check survey
1 survey check damaged
2 survey check missing
2 survey add-wave survey answers.csv --codebook missing.toml
2 survey derive survey --add broken.toml
2 survey rake survey --targets missing.toml
2 survey with-columns survey missing.csv --key row
2 survey with-columns survey answers.csv --key nonsense
0 survey drop-text survey -o dropped -q
2 survey drop-text survey nonsense -o other
0 survey export survey -o answers.parquet -q
2 survey export survey -o old.parquet
0 crosstab survey --rows tea --columns sex
2 crosstab survey --rows teaa
2 crosstab survey --rows tea --metrics nonsense
2 crosstab survey --rows tea --columns sex --test columns --levels 300
2 crosstab survey --rows tea --columns Location --test columns
2 crosstab survey --rows tea --waves 1999
2 crosstab survey --rows tea --locations Mars
2 crosstab survey --rows tea -o missing/table.xlsx
2 crosstab survey --rows tea --weight missing
2 crosstab broken.sav --rows tea
2 crosstab survey --rows tea --base sexx=f
2 crosstab survey --rows tea --net Tea=coffee
0 stats answers.csv tea -q
0 stats survey tea --by sex
0 trend survey tea --test none
0 summary survey --by sex
2 summary survey teaa
2 mean survey tea
2 median survey
2 quantile survey tea --probabilities most
2 total survey tea --level high
2 nps survey tea
2 correlation survey tea
0 proportion survey tea=yes --by sex
2 proportion survey tea=coffee
2 stats survey
2 stats survey teaa
2 trend survey
2 trend answers.csv teaa -q
0 tab-book survey --banner sex -o book.html -q
2 tab-book survey --banner sex -o old.html
2 tab-book survey --banner sexx -o other.html
2 tab-book survey --banner sex --statistics nonsense -o other.html
2 tab-book survey --banner sex --levels 300 -o other.html
2 snapshot list missing.jsonl
2 snapshot list broken.jsonl
1 snapshot verify cut.jsonl
2 snapshot verify broken.jsonl
2 snapshot verify missing.jsonl
0 snapshot trim whole.jsonl -o trimmed.jsonl -q
2 snapshot trim whole.jsonl -o old.html
2 snapshot trim broken.jsonl -o other.jsonl
0 course start lessons --student Ann
2 course start old --student Ann
2 course start other --class missing
0 course solutions marking --student Ann
0 course export grading --to nbgrader
2 course export grading --to other
0 course report old
2 course report missing
0 skill
2 skill -o old.html
0 course answers Ann
2 course answers ''
2 export missing.ipynb
0 check alone/plain.ipynb
1 check alone/paths.ipynb
2 check missing.ipynb
2 check survey
2 check answers.csv
2 package missing.ipynb -o package.zip
2 verify missing.ipynb
2 verify broken.ipynb
2 verify broken.ipynb --jobs 0
2 verify broken.zip
2 package broken.ipynb --data
2 package broken.ipynb --data --snapshot
"""


def cases() -> list[tuple[int, str]]:
    lines = CASES.strip().splitlines()
    return [(int(line[0]), line[2:]) for line in lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a survey, one with a damaged file, and files that cannot be read."""
    folder = tmp_path_factory.mktemp("exit-codes")
    before = Path.cwd()
    os.chdir(folder)
    try:
        frame = pd.DataFrame({"tea": ["yes", "no"] * 60, "sex": ["f", "m", "m"] * 40})
        frame.to_csv("answers.csv", index=False)
        frame.to_parquet("old.parquet")
        Path("old.html").touch()
        Path("alone").mkdir()
        for name, source in (("plain", "1 + 1"), ("paths", "open('/home/ann/tea.csv')")):
            cell = nbformat.v4.new_code_cell(source, execution_count=1)
            nbformat.write(nbformat.v4.new_notebook(cells=[cell]), f"alone/{name}.ipynb")
        Path("connections.toml").write_text(f'[nowhere]\nurl = "{NOWHERE}"\n')
        for name in ("broken.sav", "broken.toml", "broken.ipynb", "broken.jsonl", "broken.zip"):
            Path(name).write_text("{ nonsense")
        for name in ("survey", "damaged"):
            assert cli.main(["import", "answers.csv", "--no-weight", "-o", name, "-q"]) == 0
        weights = next(Path("damaged").rglob("*weight*"))
        weights.write_bytes(bytes([255]) * weights.stat().st_size)
        assert cli.main(["credentials", "add", "team.toml", "ann"]) == 0
        assert cli.main(["course", "start", "old", "--student", "Ann"]) == 0
        record()
    finally:
        os.chdir(before)
    return folder


def record() -> None:
    """A snapshot of which the last line is cut."""
    import audiencelab as al

    with al.connect(survey="survey") as client, client.recording("whole.jsonl"):
        client.stats("tea")
    Path("cut.jsonl").write_text(Path("whole.jsonl").read_text()[:-40])


@pytest.mark.parametrize(("code", "words"), cases(), ids=[words for _, words in cases()])
def test_exit_code(
    code: int, words: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(folder / "cache"))
    monkeypatch.setenv("AUDIENCELAB_CONNECTIONS", str(folder / "connections.toml"))
    monkeypatch.delenv("AUDIENCELAB_TOKEN", raising=False)
    assert cli.main(shlex.split(words)) == code
    streams = capsys.readouterr()
    assert "Traceback" not in streams.err
    assert bool(streams.err) == (code == 2)


@pytest.mark.parametrize(
    "command", ["crosstab --rows Gender", "tab-book --banner Gender -o b.html"]
)
def test_a_service_that_cannot_be_reached(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUDIENCELAB_BASE_URL", NOWHERE)
    monkeypatch.setenv("AUDIENCELAB_TOKEN", "token")
    assert cli.main(shlex.split(command)) == 2
    assert "could not be reached" in capsys.readouterr().err


def test_every_command_is_tried() -> None:
    tried = [words for _, words in cases()]
    leaves = [name for name, each in COMMANDS.items() if not hasattr(each, "commands")]
    assert [each for each in leaves if not any(case.startswith(each) for case in tried)] == []
