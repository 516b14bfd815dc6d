"""Tests that drive a real JupyterLab in a real browser; `conftest` documents how to write one."""
