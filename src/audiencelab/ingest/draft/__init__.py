"""Draft a codebook from files that are not described, to be edited.

`roles` and `weights` guess what a column is for, `questions` and `scales` make questions of
columns, `wave_lists` lists waves, and `draft` is the whole. What columns and values mean is in
the package `meaning`.
"""

from audiencelab.ingest.draft.draft import Draft, draft_codebook

__all__ = ["Draft", "draft_codebook"]
