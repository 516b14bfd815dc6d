"""CITATION.cff 1.2.0 of a package, and the licences that it and RO-Crate know by an identifier."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from audiencelab.notebook.package.facts import Facts

SPDX = {
    "CC0-1.0": "Creative Commons Zero 1.0 Universal",
    "CC-BY-4.0": "Creative Commons Attribution 4.0 International",
    "CC-BY-3.0": "Creative Commons Attribution 3.0 Unported",
    "CC-BY-SA-4.0": "Creative Commons Attribution Share Alike 4.0 International",
    "CC-BY-NC-4.0": "Creative Commons Attribution Non Commercial 4.0 International",
    "CC-BY-NC-SA-4.0": "Creative Commons Attribution Non Commercial Share Alike 4.0 International",
    "CC-BY-ND-4.0": "Creative Commons Attribution No Derivatives 4.0 International",
    "CC-BY-NC-ND-4.0": "Creative Commons Attribution Non Commercial No Derivatives 4.0 "
    "International",
    "ODbL-1.0": "Open Data Commons Open Database License v1.0",
    "ODC-By-1.0": "Open Data Commons Attribution License v1.0",
    "PDDL-1.0": "Open Data Commons Public Domain Dedication & License 1.0",
    "Apache-2.0": "Apache License 2.0",
    "BSD-2-Clause": 'BSD 2-Clause "Simplified" License',
    "BSD-3-Clause": 'BSD 3-Clause "New" or "Revised" License',
    "EUPL-1.2": "European Union Public License 1.2",
    "GPL-3.0-only": "GNU General Public License v3.0 only",
    "GPL-3.0-or-later": "GNU General Public License v3.0 or later",
    "MIT": "MIT License",
    "MPL-2.0": "Mozilla Public License 2.0",
}
"""Identifiers of licences that data and notebooks usually have, with their names."""

_DOI = re.compile(
    r"(?:doi:\s*|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}(?:\.\d+)?/[\w:/;\-.()\[\]\\]+)"
)


def spdx(licence: str) -> str:
    """The identifier of a licence, in its own spelling; "" for others."""
    # Creative Commons are often written with blanks.
    key = re.sub(r"\s+", "-", licence.strip()).casefold()
    return next((name for name in SPDX if name.casefold() == key), "")


def doi(written: str) -> str:
    """A DOI without its resolver; "" where there is none."""
    found = _DOI.fullmatch(written.strip())
    return found[1] if found else ""


def citation_cff(facts: Facts) -> str:
    """The file; "" without an author, whom it must name."""
    return "\n".join([*_lines(facts), ""]) if facts.details.authors else ""


def _lines(facts: Facts) -> Iterator[str]:
    yield "cff-version: 1.2.0"
    yield f"message: {_text('If you use this package, please cite it and the data in it.')}"
    yield f"title: {_text(facts.title)}"
    yield "type: dataset"
    yield "authors:"
    for each in facts.details.authors:
        yield from person(each)
    yield f"date-released: {_text(facts.date)}"
    if licence := spdx(facts.details.licence):
        yield f"license: {licence}"
    yield "references:"
    for each in facts.records:
        if each.citation or each.doi:
            yield "  - type: data"
            yield f"    title: {_text(each.citation or each.survey)}"
            yield "    authors:"
            yield f"      - name: {_text(each.producer or 'see the title')}"
            if found := doi(each.doi):
                yield f"    doi: {_text(found)}"
    yield "  - type: software"
    yield "    title: audiencelab"
    yield "    authors:"
    yield "      - name: audiencelab contributors"
    yield f"    version: {_text(facts.packages.get('audiencelab', ''))}"
    yield "    license: BSD-3-Clause"
    yield "    repository-code: https://github.com/audiencelab/audiencelab"


def person(written: str) -> Iterator[str]:
    """The lines of an author: "Family, Given" is a person, anything else an organisation."""
    family, comma, given = (part.strip() for part in written.partition(","))
    if comma and given:
        yield f"  - family-names: {_text(family)}"
        yield f"    given-names: {_text(given)}"
    else:
        yield f"  - name: {_text(written.strip())}"


def _text(text: str) -> str:
    """A text as YAML, of which JSON is a part."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)
