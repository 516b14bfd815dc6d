"""The crosstab grid beside the tables that analysts have in notebooks; see `__main__`."""
