"""HTML as a browser would take it: tags with their attributes, text without its escapes."""

from __future__ import annotations

from html.parser import HTMLParser


class Reader(HTMLParser):
    """Tags with their attributes, and the text of the elements; an unbalanced tag fails."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data + "|"

    def styles(self, tag: str) -> list[str]:
        """The style of each element of a kind, empty where there is none."""
        return [attributes.get("style") or "" for name, attributes in self.tags if name == tag]
