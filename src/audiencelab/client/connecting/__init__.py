"""From what the caller or the environment says to a client.

Rooms: `connection` (`connect()` itself), `destination` (which service is meant), `token_places`
(where its credential is found).
"""
