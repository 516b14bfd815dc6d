"""Importing surveys: files or a frame, and a codebook in, a survey and a report out.

Rooms: `codebook` what columns mean, `loading` one from a file, `coherence` whether it goes
together, `drafting` a first one; `files` reading every format into `tables`, kept on a `shelf`;
`waves` dividing rows and weighing them, by dates in `periods`, `sampling` their strata and
clusters; `questionnaire` the questions, `meanings` from values to answers, `values` those left
open; `survey` the import itself, in several processes by `reading`, `answering` and `workers`;
`report` what it read and dropped.
"""

from audiencelab.ingest.adding import add_wave
from audiencelab.ingest.codebook import Codebook
from audiencelab.ingest.codebook_files import load_codebook, parse_codebook
from audiencelab.ingest.columns import Progress
from audiencelab.ingest.draft import Draft, draft_codebook
from audiencelab.ingest.importer import from_frame, import_survey
from audiencelab.ingest.report import ImportReport

__all__ = [
    "Codebook",
    "Draft",
    "ImportReport",
    "Progress",
    "add_wave",
    "draft_codebook",
    "from_frame",
    "import_survey",
    "load_codebook",
    "parse_codebook",
]
