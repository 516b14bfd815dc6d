"""The doors that a request can go through: each takes it to a service and brings the answer.

A door knows addresses, connections and credentials, and nothing of what is asked. It decides
nothing about errors or retries: it gives the answer's head and its bytes, or says in words that
none came. Rooms: `embedded` (the service in this process), `web` (over HTTP).
"""

from audiencelab.client.doors.door import Answer, AsyncAnswer, AsyncDoor, Door, ThreadedDoor

__all__ = ["Answer", "AsyncAnswer", "AsyncDoor", "Door", "ThreadedDoor"]
