"""The package on other Pythons, kernels and pandas: `make test-elsewhere`."""
