"""From arguments and environment variables to a client.

`connect` holds `connect()` itself, `opening` holds `open()`, `target` which service is meant,
`credential_chain` where its credential is found.
"""
