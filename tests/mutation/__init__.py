"""Mutation tests: the code is changed in small ways, one at a time, and a test must fail for each.

`python -m tests.mutation` prints the share of mutants that a test noticed, and the others. No file
is changed: a mutant exists in the memory of one process. Modules: `mutants` makes them from the
syntax tree of a module; `suites` lists the mutated modules and the tests that must notice it;
`equivalent` lists mutants that change nothing, with the reason; `forks` tries those in functions,
in forks of a process that has collected the tests; `at_import` those in code that runs while a
module is imported; `processes` runs many at once; `session` starts pytest.
"""
