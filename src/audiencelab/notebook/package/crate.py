"""`ro-crate-metadata.json` of a package: RO-Crate 1.1, which archives and workflow hubs read."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from audiencelab.notebook.package.about import File
from audiencelab.notebook.package.citation import SPDX, doi, spdx
from audiencelab.notebook.package.facts import ROLES, Facts

NAME = "ro-crate-metadata.json"

_TYPES = {
    ".ipynb": "application/x-ipynb+json",
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".toml": "application/toml",
    ".cff": "application/yaml",
    ".yml": "application/yaml",
    ".sav": "application/x-spss-sav",
    ".zsav": "application/x-spss-sav",
    ".dta": "application/x-stata-dta",
    ".parquet": "application/vnd.apache.parquet",
    ".gz": "application/gzip",
    ".py": "text/x-python",
}

_NO_LICENCE = "No licence is stated. Ask the author before you use or share it."


def crate_json(facts: Facts) -> str:
    """The description of a package and of the files in it."""
    graph = [*_graph(facts)]
    # RO-Crate 1.1 has no word for checksums; this is the one of its profile for runs.
    more = {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}
    context = ["https://w3id.org/ro/crate/1.1/context", more]
    return json.dumps({"@context": context, "@graph": graph}, indent=2, ensure_ascii=False) + "\n"


def _graph(facts: Facts) -> Iterator[dict[str, Any]]:
    yield {
        "@id": NAME,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    people = [{"@id": f"#author-{n}"} for n in range(1, len(facts.details.authors) + 1)]
    studies = [*_studies(facts)]
    licence = spdx(facts.details.licence)
    given = {"@id": _spdx_url(licence)} if licence else facts.details.licence or _NO_LICENCE
    parts = [each for each in facts.files if each.path != NAME]
    yield {
        "@id": "./",
        "@type": "Dataset",
        "name": facts.title,
        "description": f"Replication package: {len(facts.exhibits)} tables and charts of survey "
        "data, with the notebook that makes them and the versions that it ran with.",
        "datePublished": facts.date,
        "license": given,
        **({"author": people} if people else {}),
        **({"citation": [{"@id": each["@id"]} for each in studies]} if studies else {}),
        "hasPart": [{"@id": _id(each.path)} for each in parts],
        "mentions": [{"@id": f"#run-{n}"} for n in range(1, len(facts.notebooks) + 1)],
    }
    if licence:
        yield {"@id": _spdx_url(licence), "@type": "CreativeWork", "name": SPDX[licence]}
    for number, name in enumerate(facts.details.authors, 1):
        kind = "Person" if "," in name else "Organization"
        yield {"@id": f"#author-{number}", "@type": kind, "name": name}
    yield from studies
    yield from map(_file, parts)
    yield {
        "@id": "https://github.com/audiencelab/audiencelab",
        "@type": "SoftwareApplication",
        "name": "audiencelab",
        "url": "https://github.com/audiencelab/audiencelab",
        "version": facts.packages.get("audiencelab", ""),
    }
    read = [{"@id": _id(each.path)} for each in facts.of("data", "snapshot", "code")]
    for number, each in enumerate(facts.notebooks, 1):
        written = {path for exhibit in facts.exhibits for path in exhibit.files}
        made = [{"@id": _id(path)} for path in sorted(written)]
        yield {
            "@id": f"#run-{number}",
            "@type": "CreateAction",
            "name": f"Run of {each.path} with Python {facts.python}",
            "instrument": {"@id": "https://github.com/audiencelab/audiencelab"},
            "object": [{"@id": _id(each.path)}, *read],
            "result": made or [{"@id": _id(each.path)}],
        }


def _studies(facts: Facts) -> Iterator[dict[str, Any]]:
    for number, each in enumerate(facts.records, 1):
        if not (each.citation or each.doi):
            continue
        found = doi(each.doi)
        known = {
            "name": each.citation or each.survey,
            "identifier": each.doi,
            "publisher": each.producer,
            "temporal": each.field_dates,
            "license": each.licence,
        }
        yield {
            "@id": f"https://doi.org/{found}" if found else f"#study-{number}",
            "@type": "CreativeWork",
            **{name: value for name, value in known.items() if value},
        }


def _file(file: File) -> dict[str, Any]:
    is_code = file.role in ("notebook", "code")
    suffix = f".{file.path.rpartition('.')[2].lower()}"
    guessed = _TYPES.get(suffix) or mimetypes.guess_type(file.path)[0] or "text/plain"
    return {
        "@id": _id(file.path),
        "@type": ["File", "SoftwareSourceCode"] if is_code else "File",
        "name": file.path,
        "description": ROLES[file.role],
        "encodingFormat": guessed,
        **({"contentSize": str(file.size), "sha256": file.sha256} if file.sha256 else {}),
    }


def _spdx_url(licence: str) -> str:
    return f"https://spdx.org/licenses/{licence}"


def _id(path: str) -> str:
    """A path as a URI: letters of all languages stay."""
    return "".join(each if ord(each) > 127 else quote(each, safe="/") for each in path)
