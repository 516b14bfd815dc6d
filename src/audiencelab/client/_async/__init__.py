"""The asynchronous client, written by hand; `tools/unasync.py` makes the blocking one of it."""
