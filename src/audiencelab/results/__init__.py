"""Results as plain data: arrays, axes, provenance and their frames."""
