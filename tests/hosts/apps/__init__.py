"""What is served: one small app for each host, in a folder with `everything.py`."""
