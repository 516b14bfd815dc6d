"""The front end of all widgets: modules that a page asks for, each once.

Jupyter keeps a widget's own code in each of its models, in every message that creates one and in
every notebook saved with widget state. So a widget contains only a loader (`js/src/loader`) and
the name of the module that draws its kind. The loader asks for what the page does not have, over
the widget's own channel. A module is named after the digest of its text, which includes the names
of those that it imports.
"""

from __future__ import annotations

import gzip
from functools import cache, lru_cache
from pathlib import Path

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.widgets.rpc_types import AnswerWithBuffers, ModuleArgs, Modules, PageRequest

STATIC = Path(__file__).with_name("static")
MANIFEST = "front-end.json"


class BundleMissing(AudienceError, FileNotFoundError):
    """The front end is not built in this copy of the package."""


class BuiltModules(msgspec.Struct, frozen=True):
    """What the build says of its modules.

    kinds: the module that draws each kind of widget. imports: of each module.
    """

    kinds: dict[str, str]
    imports: dict[str, tuple[str, ...]]

    def closure(self, module: str) -> list[str]:
        """The module and all that it imports, each after its own imports."""
        found: dict[str, None] = {}

        def add(name: str) -> None:
            if name not in found:
                for each in self.imports[name]:
                    add(each)
                found[name] = None

        add(module)
        return list(found)


@cache
def loader() -> str:
    """The module that each widget contains; raises `BundleMissing` where it is not built."""
    return _static("loader.js")


def module_of(kind: str) -> str:
    """The name of the module that draws a kind of widget.

    Raises `BundleMissing` where it is not built.
    """
    manifest, _ = _shelf()
    if kind not in manifest.kinds:
        raise _missing(MANIFEST)
    return manifest.kinds[kind]


def answer_modules(request: PageRequest[ModuleArgs]) -> AnswerWithBuffers[Modules]:
    """The module that a page asks for, and those that it imports, without those that it has."""
    module, manifest = request.args.module, _shelf()[0]
    if module not in manifest.imports:
        raise AudienceError(
            f"There is no module {module!r}: the page and the installed audiencelab differ in "
            "version. Reload the page."
        )
    return _packed(module, frozenset(request.args.have).intersection(manifest.imports))


@lru_cache(32)
def _packed(module: str, have: frozenset[str]) -> AnswerWithBuffers[Modules]:
    manifest, texts = _shelf()
    sent = [name for name in manifest.closure(module) if name not in have]
    content = b"".join(texts[name] for name in sent)
    listed = Modules([(name, len(texts[name])) for name in sent])
    return AnswerWithBuffers(listed, [gzip.compress(content, mtime=0)])


@cache
def _shelf() -> tuple[BuiltModules, dict[str, bytes]]:
    """All modules, read at once: a new version may be installed while the kernel runs."""
    manifest = msgspec.json.decode(_static(MANIFEST), type=BuiltModules)
    return manifest, {name: _static(name).encode() for name in manifest.imports}


def _static(name: str) -> str:
    try:
        return (STATIC / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise _missing(name) from None


def _missing(name: str) -> BundleMissing:
    return BundleMissing(
        f"The widgets' front end ({STATIC / name}) is not built. In a checkout run "
        "`make frontend` (or `npm ci && npm run build` in js/); otherwise reinstall "
        "audiencelab."
    )
