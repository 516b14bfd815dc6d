"""Transports: each takes requests to one service and returns its responses."""
