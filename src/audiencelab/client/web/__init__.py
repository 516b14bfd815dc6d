"""The service over a network: the HTTP library, held to a call's deadline.

Rooms: `http` (the one module that imports the library), `auth` (the credential on a request),
`settings` (what a caller may set of the library), `network` and `leash` (waiting no longer than the
call may, wherever the waiting is done).
"""
