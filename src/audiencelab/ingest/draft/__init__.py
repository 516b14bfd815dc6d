"""Draft a codebook from files that are not described, to be edited.

`profile` counts the values of columns, `missing_codes` finds values that are not answers,
`column_roles` and `weights` guess what a column is for, `question_groups` which columns belong
together. `questions`, `bands` and `scales` make questions of them, `waves` lists the waves,
`to_toml` writes TOML, and `draft` is the whole.
"""

from audiencelab.ingest.draft.draft import Draft, draft_codebook

__all__ = ["Draft", "draft_codebook"]
