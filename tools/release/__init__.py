"""A version, made by one command: `make release VERSION=1.0.0`."""
