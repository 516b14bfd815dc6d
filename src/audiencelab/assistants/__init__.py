"""A survey as tools for assistants, by the Model Context Protocol."""
