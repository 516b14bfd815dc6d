"""The service over a network: the HTTP library, held to a call's deadline.

Rooms: `http` (the one module that imports the library), `auth` (the credential on a request),
`settings` (what a caller may set of the library), `network` (connections opened), `sockets` (bytes
over them), `leash` (how long either may wait).
"""
