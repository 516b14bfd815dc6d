"""Import surveys: files or a data frame and a codebook in, a survey and a report out.

`importer` is the import, `draft` drafts a codebook; `sources` and `readers` read files and frames
into factorized `columns`. `codebook` declares what columns mean, `codebook_files` reads and writes
one, `codebook_checks` checks it. `waves` divides and weighs rows, `value_mapping` and `encode` turn
values into answers, `label_conflicts` compares files, and `report` lists what was read and dropped.
`adding` adds waves to a survey.
"""

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
