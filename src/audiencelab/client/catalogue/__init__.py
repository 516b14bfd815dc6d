"""What the service can be asked about, to look things up in; nothing is asked of it here.

Rooms: `catalogue` (all questions), `question` (one, and its answers as expressions), `bands`
(several answers as audiences), `tree` (categories to be walked), `search` (by words), `lookup` (by
code or name), `labels` (names for codes, as far as they have come).
"""

from audiencelab.client.catalogue.catalogue import Catalogue
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.client.catalogue.tree import CatalogueCategory

__all__ = ["Catalogue", "CatalogueCategory", "CatalogueQuestion"]
