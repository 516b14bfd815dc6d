"""JupyterLab, opened on a notebook, and what is added to it in the server.

Rooms: `launch` (`audiencelab lab`), `connections` (the services that are offered, and where each is
named), `server` (the part in the Jupyter server), `templates` (notebooks to begin with). What is
added in the page is `js/src/lab`; its bundle lies in `labextension`.
"""
