"""The operations, a module for each resource: requests, and what is made of responses."""
