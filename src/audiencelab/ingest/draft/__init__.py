"""Draft a codebook from files that are not described, to be edited.

`profile` counts the values of columns and finds missing codes, `roles` and `weights` guess what a
column is for, `groups` which columns belong together, `questions` and `scales` make questions of
them, `wave_lists` lists waves, and `draft` is the whole.
"""

from audiencelab.ingest.draft.draft import Draft, draft_codebook

__all__ = ["Draft", "draft_codebook"]
