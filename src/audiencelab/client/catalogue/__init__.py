"""What the service can be asked about, to look things up in; nothing is asked of it here.

Rooms: `catalogue` (questions and their datapoints, as expressions), `tree` (categories to be
walked), `search` (by words), `labels` (names for codes, as far as they have come).
"""

from audiencelab.client.catalogue.catalogue import Catalogue, CatalogueQuestion
from audiencelab.client.catalogue.tree import CatalogueCategory

__all__ = ["Catalogue", "CatalogueCategory", "CatalogueQuestion"]
