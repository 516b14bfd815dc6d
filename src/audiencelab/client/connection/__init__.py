"""From arguments and environment variables to a client.

`connect` holds `connect()` itself, `target` which service is meant, `credential_chain` where its
credential is found.
"""
