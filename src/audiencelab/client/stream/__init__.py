"""A crosstab's cells out of the bytes that bring them, however these are cut or named.

Rooms: `objects` (bytes to JSON objects), `places` (which place of the table a cell stands for),
`cells` (what is new, what contradicts, what is still missing).
"""
