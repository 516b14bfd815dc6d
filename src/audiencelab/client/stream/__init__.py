"""The cells of a crosstab from the bytes of a response."""
