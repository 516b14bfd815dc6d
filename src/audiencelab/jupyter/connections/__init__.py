"""Connections: the services that JupyterLab offers, and where each is named.

Rooms: `places` (what a connection is), `sources` (where connections are named), `file` (the user's
own file of them), `checking` (whether one answers).

None of them holds a credential: that is found by address when a connection is opened, and told by
its place. Nothing here knows of a Jupyter server.
"""
