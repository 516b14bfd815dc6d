"""Measurements; see `__main__`. No test depends on a time that they print."""
