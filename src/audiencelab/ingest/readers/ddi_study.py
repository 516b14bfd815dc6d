"""What a codebook of DDI says of its study to those who cite it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

_TERMS_OF_DATAVERSE = "stdyDscr/dataAccs/notes[@type='DVN:TOU']"


def said_of_study(root: Element) -> dict[str, str]:
    """The texts of a codebook by the fields of a study, as they are; "" for those it lacks."""
    about, access = "stdyDscr/citation", "stdyDscr/dataAccs/useStmt"
    held = [each.get("URI", "") for each in root.iterfind(f"{about}/holdings")]
    terms = (f"{access}/license", f"{access}/conditions", _TERMS_OF_DATAVERSE)
    return {
        "citation": _text(root, f"{about}/biblCit"),
        "doi": " ".join([*_texts(root, f"{about}/titlStmt/IDNo"), *held]),
        "licence": next(filter(None, (_text(root, each) for each in terms)), ""),
        "producer": ", ".join(_texts(root, f"{about}/prodStmt/producer")),
        "universe": "; ".join(_texts(root, "stdyDscr/stdyInfo/sumDscr/universe")),
        "field_dates": _dates(root.findall("stdyDscr/stdyInfo/sumDscr/collDate")),
    }


def _dates(found: list[Element]) -> str:
    """Spans of days: "2025-03-03 to 2025-03-28"; an end follows its start."""
    spans: list[list[str]] = []
    for each in found:
        day = each.get("date", "") or " ".join("".join(each.itertext()).split())
        if each.get("event") == "end" and spans and len(spans[-1]) == 1:
            spans[-1].append(day)
        elif day:
            spans.append([day])
    return "; ".join(" to ".join(dict.fromkeys(filter(None, each))) for each in spans)


def _text(root: Element, path: str) -> str:
    return next(iter(_texts(root, path)), "")


def _texts(root: Element, path: str) -> list[str]:
    """The texts of all elements of a path, each in one line and once."""
    texts = (" ".join("".join(each.itertext()).split()) for each in root.iterfind(path))
    return [*dict.fromkeys(filter(None, texts))]
