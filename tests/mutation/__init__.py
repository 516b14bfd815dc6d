"""Tests that can fail: small faults are put into the code, one at a time; tests must see each.

`python -m tests.mutation` prints the share of faults that some test noticed, and those that none
did. No file is changed: a fault exists in the memory of one process alone. Rooms: `mutants` the
faults, over a module's syntax tree; `rooms` which modules, and which tests are to notice;
`equivalent` the faults that are none, with the reason; `nursery` faults in functions, put into a
process that has collected the tests; `planting` faults in what runs while a module is imported;
`processes` many of them at once.
"""
