"""The service's operations as pure functions: arguments in, a request and its parser out.

No connection, no credential, no retry: those belong to the flow and its driver.

Rooms: `catalogue` (questions, categories), `queries` (stats, crosstab), `audiences` how audiences
are written into a request.
"""
