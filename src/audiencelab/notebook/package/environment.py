"""The files from which others build the environment that a notebook ran in.

repo2docker and Binder take `requirements.txt` and `runtime.txt` where there is no other
configuration, and no folder `binder`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from audiencelab.notebook.package.facts import Facts
from audiencelab.notebook.package.readme import verifications

_WORKFLOW = """\
name: verify
on: [push, pull_request, workflow_dispatch]
permissions:
  contents: read
jobs:
  verify:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "{python}"
      - run: sha256sum --check SHA256SUMS
      - run: pip install -r requirements.txt
"""


def requirements(facts: Facts) -> str:
    """Each package with the version that ran, as pip reads it."""
    return "".join(f"{name}=={version}\n" for name, version in facts.packages.items())


def runtime(facts: Facts) -> str:
    """The version of Python; repo2docker knows those of two numbers."""
    return f"python-{_minor(facts)}\n"


def workflow(facts: Facts) -> str:
    """A workflow of GitHub that verifies the package after every change."""
    # A text of JSON is one of YAML.
    texts = (json.dumps(each, ensure_ascii=False) for each in verifications(facts))
    steps = "".join(f"      - run: {each}\n" for each in texts)
    return _WORKFLOW.format(python=_minor(facts)) + steps


def _minor(facts: Facts) -> str:
    return ".".join(facts.python.split(".")[:2])


def other_versions(packaged: Mapping[str, str], installed: Mapping[str, str]) -> Iterator[str]:
    """The packages that have another version here, as words.

    >>> from audiencelab.notebook.package.environment import other_versions
    >>> list(other_versions({"pandas": "2.2.3"}, {"pandas": "3.0.1"}))
    ['pandas 2.2.3, here 3.0.1']
    """
    for name, version in packaged.items():
        here = installed.get(name)
        if here is None:
            yield f"{name} {version}, not installed here"
        elif here != version:
            yield f"{name} {version}, here {here}"
