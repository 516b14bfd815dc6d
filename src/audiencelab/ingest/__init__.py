"""Import surveys: files or a data frame and a codebook in, a survey and a report out.

`importer` is the import, `draft` drafts a codebook; `sources` and `readers` read files and frames
into factorized `columns`. `codebook` declares what columns mean, `codebook_files` reads and writes
one, `codebook_checks` checks it. `waves` divides and weighs rows, `value_mapping` and `encode` turn
values into answers, `drift` compares files and waves, and `report` lists what was read and dropped.
`adding` adds waves to a survey.

The modules are imported on first use: the child process that reads one file needs few of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from audiencelab.lazy import lazily

if TYPE_CHECKING:
    from audiencelab.ingest.adding import add_wave
    from audiencelab.ingest.codebook import Codebook
    from audiencelab.ingest.codebook_files import load_codebook, parse_codebook
    from audiencelab.ingest.columns import Progress
    from audiencelab.ingest.draft import Draft, draft_codebook
    from audiencelab.ingest.importer import from_frame, import_survey

__all__ = [
    "Codebook",
    "Draft",
    "Progress",
    "add_wave",
    "draft_codebook",
    "from_frame",
    "import_survey",
    "load_codebook",
    "parse_codebook",
]

_HOMES = {
    "Codebook": "codebook",
    "Draft": "draft",
    "Progress": "columns",
    "add_wave": "adding",
    "draft_codebook": "draft",
    "from_frame": "importer",
    "import_survey": "importer",
    "load_codebook": "codebook_files",
    "parse_codebook": "codebook_files",
}

__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
