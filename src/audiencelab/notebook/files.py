"""Reading a notebook file, with errors in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from audiencelab.notebook.errors import NotebookError

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["read_notebook"]


def read_notebook(path: Path) -> NotebookNode:
    """The notebook in its newest format; raises `NotebookError`."""
    import nbformat

    try:
        return cast("NotebookNode", nbformat.read(path, as_version=4))  # pyright: ignore[reportUnknownMemberType] -- nbformat has no types
    except FileNotFoundError:
        raise NotebookError(f"{path}: there is no such notebook.") from None
    except IsADirectoryError:
        raise NotebookError(f"{path} is a folder; name a notebook in it (.ipynb).") from None
    except OSError as error:
        raise NotebookError(f"{path} cannot be read: {error.strerror}.") from error
    except Exception as error:  # nbformat raises whatever its parsers do
        raise NotebookError(f"{path} is no notebook: {error}") from error
