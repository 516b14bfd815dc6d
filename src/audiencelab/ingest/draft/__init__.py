"""The automatic codebook: from a file that nobody has described to one that people can edit.

`profile` counts what stands in the columns, `roles` guesses what each is for, `weights` finds the
weight, `families` which columns belong together, `questions`, `bands` and `scales` make questions
of them, `writing` puts them into TOML, `sniffing` finds out how a CSV file is written, `draft` is
the whole; `signing` tells a draft that nobody has edited.
"""

from audiencelab.ingest.draft.draft import Draft, draft_codebook

__all__ = ["Draft", "draft_codebook"]
