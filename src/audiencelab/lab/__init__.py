"""JupyterLab around the widgets: for now, the command that opens it."""
