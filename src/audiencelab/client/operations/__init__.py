"""The service's operations as pure functions: arguments in, a request and its parser out.

No connection, no credential, no retry: those belong to the flow and its driver.

Rooms: `catalogue` (questions, categories), `queries` (stats, crosstab), `charts`, `saved`
(audiences), `insights`, `raw` (a path written out). What they share: `audiences` and `attributes`,
how people and datapoints are written into a request, and `fields`, what may be set.
"""
