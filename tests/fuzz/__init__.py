"""Hostile input, by the million: whatever is read from outside is read from anybody.

`python -m tests.fuzz --executions 1000000` tries them. `targets` say what is tried and what has
to hold, `mutating` how inputs are made of others, `running` runs them in a process of its own and
sees crashes and hangs, `corpus` keeps one input for each way that a reader has answered so far.
`test_corpus` tries those again, and some fresh ones, with every run of the tests.
"""
