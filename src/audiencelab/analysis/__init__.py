"""Functions on results: proportions, means, tests, intervals, nets, correspondence."""
