"""`import audiencelab` is cheap: the heavy libraries load when they are first used."""

import subprocess
import sys

import audiencelab

HEAVY = (
    "altair",
    "anywidget",
    "httpx",
    "ipywidgets",
    "numpy",
    "pandas",
    "pyarrow",
    "starlette",
    "tqdm",
)


def test_loads_no_heavy_library() -> None:
    code = f"import sys, audiencelab; sys.exit(', '.join(set({HEAVY}) & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"loaded: {done.stderr}"


def test_every_public_name_is_there() -> None:
    missing = [name for name in audiencelab.__all__ if not hasattr(audiencelab, name)]
    assert missing == []


def test_completion_offers_the_public_names_alone() -> None:
    assert dir(audiencelab) == sorted(audiencelab.__all__)
