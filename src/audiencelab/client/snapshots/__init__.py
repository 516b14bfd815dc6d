"""Snapshots: requests and responses recorded beside a notebook, and replayed without a network."""
