"""Which versions are tried together, and what is run with them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PARTS", "ROWS", "Part", "Row"]

OLDEST_LAB = "4.3"


@dataclass(frozen=True, slots=True)
class Row:
    """One environment: a Python, a kernel, and a pandas, each as far as it is pinned.

    With neither kernel nor pandas: the oldest of everything that `pyproject.toml` lets in.
    """

    python: str
    ipykernel: str = ""
    pandas: str = ""

    @property
    def oldest(self) -> bool:
        """Whether it has what the package says it still works with."""
        return not self.pandas

    @property
    def name(self) -> str:
        """Its folder, and what it is asked for by."""
        if self.oldest:
            return f"python{self.python}-oldest"
        return f"python{self.python}-ipykernel{self.ipykernel}-pandas{self.pandas}"

    @property
    def pins(self) -> list[str]:
        """What is installed beside the package."""
        if self.oldest:
            return [f"jupyterlab=={OLDEST_LAB}.*"]  # The notebook of the tests would bring a newer.
        return [f"ipykernel=={self.ipykernel}.*", f"pandas=={self.pandas}.*"]


# Each Python and each kernel with both pandas: what breaks does so between two.
ROWS = (
    Row("3.11", "6.30", "2.3"),
    Row("3.13", "7.4", "3"),
    Row("3.12", "7.4", "2.3"),
    Row("3.12", "6.30", "3"),
    Row("3.13", "7.1", "2.3"),
    Row("3.11", "7.1", "3"),
    Row("3.11"),
)


@dataclass(frozen=True, slots=True)
class Part:
    """One run of pytest."""

    name: str
    arguments: tuple[str, ...]


# What touches these libraries; the rest is Python alone.
FOLDERS = ("client", "results", "analysis", "render", "tables", "charts", "widgets")
NBVAL = ("--nbval", "--nbval-current-env", "--nbval-sanitize-with", "tests/nbval.cfg")

# The oldest ipywidgets asks traitlets in a way that is to go; nobody but a test is told.
OLD_WAYS = ("-W", "ignore:Deprecated in traitlets:DeprecationWarning")

PARTS = (
    Part(
        "unit tests",
        (*(f"tests/{name}" for name in FOLDERS), "-m", "not slow", *OLD_WAYS),
    ),
    Part("notebook", ("-W", "default", *NBVAL, "notebooks/01-quickstart.ipynb")),
    Part("browser", ("tests/browser/test_quickstart.py",)),
)
