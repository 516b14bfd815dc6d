"""Services that JupyterLab offers by name; no credential is stored with them."""
