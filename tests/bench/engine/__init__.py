"""The engine beside other ways to the same table: `make bench-engine`."""
