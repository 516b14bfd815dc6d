"""Real hosts of widgets, in a real browser without network: `make test-hosts`."""
