"""What hosts load from a CDN, from packages of npm instead: nothing else leaves the machine."""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import BrowserContext, Route

from tests.browser.page import is_local
from tests.elsewhere.environment import CannotBeHad
from tests.hosts.environment import npm_package

__all__ = ["serve_packages"]

# jsDelivr and unpkg name the package in the path; cdnjs names libraries in its own way.
_NPM = re.compile(r"^/+(?:npm/+)?((?:@[^/@]+/)?[^/@]+)@([^/]+)/(.+)$")
_CDNJS = re.compile(r"^/ajax/libs/(require\.js|mathjax|jquery)/([^/]+)/(.+)$")
_HOSTS = {"cdn.jsdelivr.net", "unpkg.com", "cdnjs.cloudflare.com"}


def serve_packages(context: BrowserContext, folder: Path) -> list[str]:
    """Answer what pages of this context ask of a CDN; a list of what else they ask of others."""
    refused: list[str] = []

    def answer(route: Route) -> None:
        address = route.request.url
        if is_local(address) or urlsplit(address).scheme == "file":
            route.continue_()
        elif (found := _find(address, folder)) is not None:
            kind = mimetypes.guess_type(found.name)[0] or "application/octet-stream"
            headers = {"Access-Control-Allow-Origin": "*", "Content-Type": kind}
            route.fulfill(path=found, headers=headers)
        else:
            refused.append(address)
            route.abort()

    context.route("**/*", answer)
    return refused


def _find(address: str, folder: Path) -> Path | None:
    parts = urlsplit(address)
    path = unquote(parts.path)
    if parts.hostname not in _HOSTS:
        return None
    if cdnjs := _CDNJS.match(path):
        if cdnjs[1] != "require.js":
            return None
        name, version, file = "requirejs", cdnjs[2], "require.js"
    elif npm := _NPM.match(path):
        name, version, file = npm[1], npm[2], npm[3]
    else:
        return None
    try:
        home = npm_package(name, version, folder)
    except CannotBeHad:
        return None
    found = next(filter(Path.is_file, (home / file, home / f"{file}.js")), None)
    return found and found.resolve()
