"""The skill: its files, and the code in them."""
