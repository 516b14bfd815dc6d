"""The JupyterLab extension as it is built: what it says of itself, and what pages fetch."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import audiencelab

EXTENSION = Path(str(files("audiencelab.lab"))) / "labextension"
STATIC = EXTENSION / "static"


def described() -> dict[str, Any]:
    return json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


def test_it_has_the_version_of_the_package() -> None:
    assert described()["name"] == "audiencelab"
    assert described()["version"] == audiencelab.__version__


def test_the_door_that_jupyterlab_opens_is_there() -> None:
    build = described()["jupyterlab"]["_build"]
    door = (EXTENSION / build["load"]).read_text(encoding="utf-8")
    assert "_JUPYTERLAB" in door
    for module in (build["extension"], build["mimeExtension"]):
        assert f'"{module}"' in door


def test_nothing_old_lies_beside_it() -> None:
    names = sorted(file.name.partition(".")[0] for file in STATIC.glob("*.js"))
    assert [name for name in names if name != "chunk"] == [
        "draw",
        "extension",
        "mime",
        "remoteEntry",
    ]


def test_a_page_without_charts_fetches_little() -> None:
    """Vega, which is most of it, comes with the first chart."""
    sizes = {file.name.partition(".")[0]: file.stat().st_size for file in STATIC.glob("*.js")}
    assert sizes.pop("draw") < 900 * 1024
    assert sum(sizes.values()) < 20 * 1024


def test_nothing_in_it_is_fetched_from_elsewhere() -> None:
    for file in STATIC.glob("*.js"):
        text = file.read_text(encoding="utf-8")
        assert "cdn." not in text, file.name
        assert "unpkg" not in text, file.name


def test_the_licences_of_what_is_bundled_come_along() -> None:
    report = json.loads((STATIC / "third-party-licenses.json").read_text(encoding="utf-8"))
    texts = {each["name"]: each["extractedText"] for each in report["packages"]}
    assert {"vega", "vega-lite", "vega-interpreter", "d3-scale"} <= set(texts)
    assert [name for name, text in texts.items() if not text] == []


def test_notices_that_stand_in_bundled_code_come_along() -> None:
    """Minifying takes them out, and a package's own licence does not repeat them."""
    report = json.loads((STATIC / "third-party-licenses.json").read_text(encoding="utf-8"))
    texts = {each["name"]: each["extractedText"] for each in report["packages"]}
    assert "Redistributions in binary form" in texts["vega-expression"].partition("Esprima")[2]
    assert "Copyright (c) 2013, Jason Davies." in texts["vega-wordcloud"]
