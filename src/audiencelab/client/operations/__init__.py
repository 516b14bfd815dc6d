"""The service's operations as pure functions: arguments in, a request and its parser out.

No connection, no credential, no retry: those belong to the flow and its driver.

Rooms: `catalogue` (questions, categories), `queries` (stats, crosstab), `charts`, `saved`
(audiences), `insights`, `raw` (a path written out), `known` (which operation a request is);
`overlaps` and `profiles`, planned as queries of these. What they share: `audiences`, `attributes`
and `codes`, how people, datapoints and codes are written into a request, `sides`, a banner laid
flat, `fields`, what may be set, and `reading`, how an answer becomes a value.
"""
