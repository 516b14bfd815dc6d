"""Looking into a snapshot and asking a service again, as any other user of a client does.

Rooms: `checking` whether answers still hold.
"""
