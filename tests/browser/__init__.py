"""Tests that drive a real JupyterLab in a real browser; `conftest` tells how to write one."""
