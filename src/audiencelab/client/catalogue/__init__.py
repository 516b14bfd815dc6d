"""The catalogue: questions by code or name, in a tree, searched by words; no request is sent here.

`catalogue` holds all questions, `question` one question and its answers as expressions and bands,
`tree` the categories, `search` the search by words, `labels` names for codes and codes for names.
"""

from audiencelab.client.catalogue.catalogue import Catalogue
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.catalogue.tree import CatalogueCategory

__all__ = ["Catalogue", "CatalogueCategory", "CatalogueQuestion"]
