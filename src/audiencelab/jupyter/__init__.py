"""JupyterLab with audiencelab: `launch`, named `connections`, the `server` extension, `templates`.

The bundle of the front-end part (`js/src/lab`) is in `labextension`.
"""
