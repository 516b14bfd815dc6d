"""Changes planted in a saved notebook, and what a report of its verification must name.

Each is of one cell of `coffee.CELLS`; the others hold. What must be named are regular expressions,
each of which finds something in the report, in small or capital letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.notebook import edits
from tests.notebook.edits import Edit, pattern, swap

__all__ = ["HARMLESS", "OTHER_VERSION", "PLANTED", "REWORDED", "Planted"]


@dataclass(frozen=True, slots=True)
class Planted:
    """One change: its name, its cell, how it is made, and what is named besides the cell."""

    name: str
    cell: str
    edit: Edit
    named: tuple[str, ...] = ()

    @property
    def cells(self) -> tuple[str]:
        return (self.cell,)


def _words(name: str, cell: str, before: str, now: str, *forms: str) -> Planted:
    """One text for another, both of which are named."""
    return Planted(name, cell, swap(before, now, *forms), (re.escape(before), re.escape(now)))


_ROW = "<tr[^>]*>(?:(?!</tr>).)*"
_PICTURE = "picture|image|SVG|PNG|chart"
_FIGURES = (
    Planted("a share in HTML", "table", swap("43.7%", "48.7%", "html"), ("48.7", "43.7")),
    Planted("a share in all forms", "table", swap("43.7%", "48.7%"), ("Mavi Fincan", "48.7")),
    Planted("a share in Markdown", "table", swap("43.7%", "48.7%", "markdown"), ("Markdown", "48")),
    Planted("a share in LaTeX", "latex", swap("43.7", "48.7", "latex"), ("LaTeX", "48.7")),
    Planted("a mean in plain text", "estimate", swap("321.66", "312.66", "plain"), ("text", "312")),
    Planted("an index", "table", swap("<small>65<", "<small>85<", "html"), ("85", "65")),
    Planted("a base of a column", "table", swap(">456<", ">546<", "html"), ("Base", "546")),
    Planted("a weighted base", "table", swap(">192<", ">129<", "html"), ("Weighted base", "129")),
    Planted("an interval", "estimate", swap("303.97", "313.97"), ("Kadın", "313.97")),
    Planted("a standard error", "estimate", swap("9.00", "6.00"), ("standard error", "6.00")),
    Planted("a change of points", "trend", swap("+7.9", "-7.9"), ("7.9", "İnci")),
    Planted("a size of an overlap", "overlap", swap("80.3%", "88.3%"), ("88.3", "80.3")),
    Planted("a digit of a frame", "frame", swap("43.730465", "43.730456"), ("43.730456",)),
    Planted("a frame's HTML", "frame", swap("43.730465", "53.730465", "html"), ("53.73",)),
    Planted("a frame's text", "frame", swap("43.730465", "53.730465", "plain"), ("text", "53.73")),
    Planted("a p value", "sentence", swap("p = 0.61", "p = 0.01"), ("0.61", "0.01")),
    Planted("a sign", "sentence", swap("1.6 points", "-1.6 points"), ("-1.6",)),
    Planted("a count of tests", "letters", swap("3 of 10", "8 of 10"), ("8 of 10",)),
    Planted("degrees of freedom", "letters", swap("888 degrees", "8 degrees"), ("888",)),
    Planted("a design effect", "letters", swap("1.14 to", "2.14 to"), ("2.14",)),
)
_LETTERS = (
    Planted("a letter gone from HTML", "letters", swap(" <b>A</b></td>", "</td>", "html"), ("A",)),
    Planted(
        "a letter in Markdown", "letters", swap("32.6% A", "32.6% B", "markdown"), ("Markdown",)
    ),
    Planted("a small letter", "letters", swap("54.4% <b>B<", "54.4% <b>b<", "html"), ("54.4",)),
    Planted("an arrow", "widget", pattern("▲(.77)", r"▼\1", "html"), ("▲", "▼")),
    Planted("an arrow in Markdown", "widget", swap("$▲$ 77", "$▼$ 77", "markdown"), ("Markdown",)),
    Planted("stars of low bases", "women", swap("*", "", "html"), ("fewer than|\\*",)),
)
_MEANING = (
    _words("the base", "table", "those who answered", "everyone"),
    Planted(
        "the base in Markdown",
        "table",
        swap("those who answered", "everyone", "markdown"),
        ("Markdown", "everyone"),
    ),
    _words("the base audience", "women", "Cinsiyet is Kadın", "Cinsiyet is Erkek"),
    _words("sides of a test", "letters", "Two-sided", "One-sided"),
    _words("pooled variances", "letters", ", pooled", ", unpooled"),
    _words("unpooled variances", "other weight", "unpooled", "pooled"),
    _words("the correction", "letters", "no correction", "Holm's correction"),
    _words("what a letter marks", "letters", "larger share", "smaller share"),
    _words("what is compared", "letters", "columns compared", "rows compared"),
    _words("the design", "letters", "each respondent a cluster", "each household a cluster"),
    _words("a level", "letters", "capital 95%", "capital 90%"),
    _words("respondents left out", "letters", "left out", "kept in"),
    _words("the weight", "table", "Weight: agirlik", "Weight: agirlik_b"),
    _words("the other weight", "other weight", "agirlik_b", "agirlik", "html"),
    _words("unweighted, as if weighted", "unweighted", "Unweighted", "Weighted", "html"),
    _words("a wave", "one wave", "Sonbahar 2025", "Kış 2025"),
    _words("the waves", "table", "3 waves", "2 waves"),
    _words("the last wave", "table", "Sonbahar 2025", "Yaz 2025"),
    _words("a window of waves", "trend", "Moving average of 2 waves", "Moving average of 3 waves"),
    _words("how windows are named", "trend", "İlkbahar–Yaz", "Yaz–Sonbahar", "html"),
    _words("the metric of a table", "table", "column %", "row %"),
    _words("a statistic", "estimate", "Mean of", "Median of"),
    _words("a unit", "estimate", "(TL)", "(EUR)"),
    _words("the audience of a profile", "profile", "is Kadın", "is not Kadın"),
    Planted(
        "a profile turned over",
        "profile",
        edits.each(
            swap("Over-represented", "\0"),
            swap("Under-represented", "Over-represented"),
            swap("\0", "Under-represented"),
        ),
        ("Over-represented", "Under-represented"),
    ),
    _words("a title", "table", "Bilinen markalar by Cinsiyet, Yaş", "Sevilen markalar by Cinsiyet"),
    _words("the survey", "table", "survey kahve", "survey of Mars"),
    _words("intervals of a mean", "estimate", "by t,", "by bootstrap,"),
    _words("weighted to the average of waves", "table", "average of waves", "sum of waves", "html"),
    _words("not significant", "sentence", "not significant", "significant"),
    _words("higher", "sentence", "higher", "lower"),
    _words("women", "sentence", "of women", "of men"),
)
_LABELS = (
    _words("an answer", "table", "35 yaş altı", "35 yaş üstü"),
    _words("a letter without its dot", "table", "İnci", "Inci"),
    _words("a row of a scale", "women", "Memnun değil", "Memnun"),
    _words("a brand in a frame", "frame", "Çınaraltı", "Kuru Kahve", "html"),
    Planted(
        "two columns exchanged",
        "table",
        swap(">Kadın</th><th scope=col>Erkek<", ">Erkek</th><th scope=col>Kadın<", "html"),
        ("Kadın", "Erkek"),
    ),
    _words("a label of a mean", "means", "5 Çok memnun", "5 Hiç memnun değil"),
    _words("only", "overlap", "Şirin Köşe only", "Şirin Köşe"),
)
_FORM = (
    Planted("a row deleted", "table", pattern(f"{_ROW}Şirin Köşe.*?</tr>", "", "html"), ("Şirin",)),
    Planted(
        "a row deleted in Markdown",
        "table",
        pattern("\n.Şirin Köşe[^\n]*", "", "markdown"),
        ("Markdown", "Şirin"),
    ),
    Planted(
        "a row moved",
        "letters",
        pattern(f"({_ROW}Kuru Kahve.*?</tr>)({_ROW}Mavi Fincan.*?</tr>)", r"\2\1", "html"),
        ("Kuru Kahve|Mavi Fincan",),
    ),
    Planted(
        "a row added",
        "letters",
        pattern(f"({_ROW})Kuru Kahve(.*?</tr>)", r"\1Kuru Kahve\2\1Acı Kahve\2", "html"),
        ("Acı Kahve",),
    ),
    Planted(
        "a column deleted",
        "estimate",
        edits.each(
            pattern("<th scope=col>n</th>", "", "html"),
            pattern("<td>(900|456|444)</td>", "", "html", times=3),
        ),
        ("column|900|456",),
    ),
    Planted("an output deleted", "estimate", edits.deleted_output(), ("output",)),
    Planted("the Markdown deleted", "table", edits.deleted_output("markdown"), ("Markdown",)),
    Planted("an output added", "open", edits.new_text("Import: 9,000 respondents"), ("9,000",)),
    Planted("another cell's output", "one wave", edits.copied_from("unweighted"), ()),
    _words("Markdown by hand", "picture", "daha memnun", "daha az memnun"),
    _words("HTML by hand", "picture", "Kaynak:", "Yalan:", "html"),
    _words("a title in LaTeX", "latex", "Bilinen markalar by", "Sevilen markalar by"),
    _words("the base in LaTeX", "latex", "those who answered", "everyone"),
)
_PICTURES = (
    Planted(
        "a dot moved, its label kept",
        "chart",
        pattern(
            r'(<path transform="translate\()311\.4\d*(,[^>]*fill="#2b73b3")', r"\g<1>120\2", "svg"
        ),
        (_PICTURE,),
    ),
    Planted(
        "a line redrawn",
        "trend chart",
        pattern(r'<path d="M[\d.]+,[\d.]+L', '<path d="M10,10L', "svg"),
        (_PICTURE,),
    ),
    Planted(
        "two colours exchanged",
        "trend chart",
        edits.each(
            swap('fill="#2b73b3" stroke-width="2" opacity="0.4"', "\1", "svg"),
            swap('fill="#b84e13" stroke-width="2" opacity="0.4"', 'fill="#2b73b3" \2', "svg"),
            swap("\1", 'fill="#b84e13" stroke-width="2" opacity="0.4"', "svg"),
            swap("\2", 'stroke-width="2" opacity="0.4"', "svg"),
        ),
        (_PICTURE,),
    ),
    Planted("a label of a dot", "chart", swap(">69.8%<", ">89.8%<", "svg"), ("89.8",)),
    _words("the weight of a chart", "trend chart", "weight: agirlik", "weight: agirlik_b", "svg"),
    _words("the base of a chart", "trend chart", "those who were asked", "everyone", "svg"),
    _words("the bands of a chart", "trend chart", "95% intervals", "90% intervals", "svg"),
    _words("the waves of a chart", "trend chart", "average of 2", "sum of 2", "svg"),
    _words("a row of a chart", "chart", ">Mavi Fincan<", ">Mavi Bardak<", "svg"),
    Planted("another chart's PNG", "chart", edits.png_of("trend chart"), (_PICTURE,)),
    Planted("pixels of a PNG", "chart", edits.repainted, (_PICTURE,)),
    Planted("pixels of a picture of theirs", "picture", edits.repainted, (_PICTURE,)),
    _words("a chart of theirs", "own chart", '"bar"', '"line"'),
    Planted("data of a chart of theirs", "own chart", swap("43.7304", "53.7304"), ("53.73",)),
)
_SLY = (
    Planted(
        "a row hidden by its style",
        "table",
        pattern("(background:none)(?='><th scope=row [^>]*>Şirin)", r"\1;display:none", "html"),
        ("HTML|style|Şirin",),
    ),
    Planted(
        "a script that writes another figure",
        "table",
        swap("</table>", "</table><script>document.title='48.7%'</script>", "html"),
        ("HTML|script",),
    ),
    _words("a letter of another alphabet", "table", "Kuru Kahve", "Kuru Kаhve"),
    Planted(
        "letters of two columns exchanged",
        "letters",
        edits.each(
            swap("Kadın <b>A</b>", "Kadın <b>B</b>", "html"),
            swap("Erkek <b>B</b>", "Erkek <b>A</b>", "html"),
        ),
        ("Kadın|Erkek",),
    ),
    Planted("the order of outputs", "picture", edits.turned, ()),
    Planted(
        "a chart cropped",
        "chart",
        pattern('viewBox="0 0 861', 'viewBox="0 0 361', "svg"),
        (_PICTURE,),
    ),
    Planted(
        "a chart's alt text",
        "chart",
        pattern('aria-label="dots of', 'aria-label="shares of', "svg"),
        (_PICTURE,),
    ),
    Planted("a chart's picture deleted", "chart", edits.deleted_output("svg"), (_PICTURE,)),
    Planted("a table's page deleted", "letters", edits.deleted_output("html"), ("HTML",)),
    Planted("a saved table deleted", "table", edits.deleted_output("grid"), ("saved|widget",)),
    _words("the name of a file in a path", "path", "tablo.csv", "baska.csv"),
    Planted(
        "the name of a widget's base",
        "widget",
        swap("base='All'", "base='Kadın'", "plain"),
        ("Kadın",),
    ),
    Planted("code of a widget", "widget", swap("['Bölge']", "['Yaş']", "markdown"), ("Yaş",)),
)
_SAVED = "saved|widget"
_WIDGET = (
    Planted(
        "the survey of a saved table",
        "widget",
        swap("survey kahve", "survey of Mars", "grid"),
        (_SAVED, "Mars"),
    ),
    Planted(
        "the scope of a saved table",
        "widget",
        swap("3 waves: İlkbahar 2025 to", "2 waves: Yaz 2025 to", "grid"),
        (_SAVED, "2 waves"),
    ),
    Planted(
        "the base of a saved table",
        "widget",
        swap('"name": "All"', '"name": "Women only"', "grid"),
        (_SAVED, "Women only"),
    ),
    Planted(
        "the metric of a saved table",
        "widget",
        swap('["column_percentage"]', '["row_percentage"]', "grid"),
        (_SAVED, "row"),
    ),
    Planted(
        "a row of a saved table",
        "table",
        swap('"Şirin Köşe"', '"Çirkin Köşe"', "grid"),
        (_SAVED, "Çirkin"),
    ),
    Planted(
        "counts of a saved table",
        "table",
        pattern('("size": {"data": ")zK5', r"\1zL5", "grid"),
        (_SAVED,),
    ),
    Planted(
        "arrows of a saved table",
        "widget",
        pattern('("level": {"data": ")ZABkAGQA', r"\1wwBkAGQA", "grid"),
        (_SAVED,),
    ),
    Planted(
        "colours of a saved table",
        "widget",
        pattern('"high": 110.883', '"high": 990.883', "grid"),
        (_SAVED,),
    ),
    Planted(
        "the method of a saved table",
        "widget",
        swap("Two-sided", "One-sided", "grid"),
        (_SAVED, "One-sided"),
    ),
    Planted(
        "the weighted base of a saved table",
        "table",
        swap("average of waves", "sum of waves", "grid"),
        (_SAVED, "sum of waves"),
    ),
)
_FILES = (
    Planted(
        "a share in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/worksheets/sheet1\.xml", ">43.7304", ">53.7304"),
        (r"tablo\.xlsx", "53.7|0.537"),
    ),
    Planted(
        "a base in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/worksheets/sheet1\.xml", ">456<", ">546<"),
        (r"tablo\.xlsx", "546"),
    ),
    Planted(
        "a label in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", ">Kadın<", ">Erkekler<"),
        (r"tablo\.xlsx", "Erkekler"),
    ),
    Planted(
        "the method in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", "Two-sided", "One-sided"),
        (r"tablo\.xlsx", "One-sided"),
    ),
    Planted(
        "the weight in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", ">Weight: agirlik", ">Weight: none"),
        (r"tablo\.xlsx", "none"),
    ),
    Planted(
        "a bar of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/charts/chart1\.xml", ">43.7304", ">73.7304"),
        (r"tablo\.pptx", "73.7"),
    ),
    Planted(
        "a headline of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/slides/slide1\.xml", "more than", "less than"),
        (r"tablo\.pptx", "less than"),
    ),
    Planted(
        "the base of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/slides/slide1\.xml", "n = 456", "n = 1,456"),
        (r"tablo\.pptx", "1,456"),
    ),
    Planted(
        "a value in a CSV file",
        "files",
        edits.in_file("tablo.csv", "29.637805683842156", "39.637805683842156"),
        (r"tablo\.csv", "39.63"),
    ),
    Planted(
        "an answer in a CSV file",
        "files",
        edits.in_file("tablo.csv", "Kuru Kahve", "Acı Kahve"),
        (r"tablo\.csv", "Acı Kahve"),
    ),
    Planted(
        "a bar of an SVG file",
        "files",
        edits.in_file("grafik.svg", 'x2="3.58', 'x2="93.58'),
        (r"grafik\.svg",),
    ),
    Planted(
        "a label of an SVG file",
        "files",
        edits.in_file("grafik.svg", ">69.8%<", ">89.8%<"),
        (r"grafik\.svg", "89.8"),
    ),
    Planted("pixels of a PNG file", "files", edits.repainted_file("grafik.png"), (r"grafik\.png",)),
    Planted(
        "a share on a page",
        "files",
        edits.in_file("tablo.html", "43.7%", "53.7%"),
        (r"tablo\.html", "53.7"),
    ),
    Planted(
        "the base on a page",
        "files",
        edits.in_file("tablo.html", "those who answered", "women"),
        (r"tablo\.html", "women"),
    ),
    Planted(
        "the method on a sheet of sources",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", "pooled", "unpooled"),
        (r"tablo\.xlsx", "unpooled"),
    ),
    Planted(
        "a sheet's name",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/workbook\.xml", 'name="Source"', 'name="Quelle"'),
        (r"tablo\.xlsx", "Quelle"),
    ),
    Planted(
        "a letter in a workbook",
        "files",
        edits.in_zip("tablo.xlsx", r"xl/sharedStrings\.xml", "<t>A</t>", "<t>a</t>"),
        (r"tablo\.xlsx",),
    ),
    Planted(
        "a name beside a bar",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/charts/chart1\.xml", "Mavi Fincan", "Kuru Kahve"),
        (r"tablo\.pptx", "Mavi Fincan"),
    ),
    Planted(
        "notes of a slide",
        "files",
        edits.in_zip("tablo.pptx", r"ppt/notesSlides/notesSlide\d\.xml", "agirlik", "agirlik_b"),
        (r"tablo\.pptx", "agirlik_b"),
    ),
    Planted(
        "a line of a CSV file deleted",
        "files",
        edits.in_file("tablo.csv", "\n5,", "\n#"),
        (r"tablo\.csv",),
    ),
    Planted("a file deleted", "files", edits.removed("tablo.csv"), (r"tablo\.csv",)),
)
_KEPT = (
    Planted(
        "help in other words", "table", swap("See &quot;My", "Read &quot;My", "html"), ("Read",)
    ),
)
PLANTED = (
    *_KEPT,
    *_FIGURES,
    *_LETTERS,
    *_MEANING,
    *_LABELS,
    *_FORM,
    *_PICTURES,
    *_SLY,
    *_WIDGET,
    *_FILES,
)
_VERSION = r"(?<=with audiencelab )\d[\w.]*\w|(?<='audiencelab': ')[^']*"
_PATCH = edits.everywhere(
    pattern(_VERSION, "3.0.99", times=0), edits.in_metadata(r'(?<="audiencelab": ")[^"]*', "3.0.99")
)
_OLD = edits.everywhere(
    pattern(_VERSION, "2.1.0", times=0), edits.in_metadata(r'(?<="audiencelab": ")[^"]*', "2.1.0")
)
HARMLESS = (
    Planted("a patch version", "table", _PATCH),
    Planted("a version of another year", "table", _OLD),
    Planted(
        "dates",
        "table",
        edits.everywhere(
            pattern(r"counted \d{4}-\d\d-\d\d", "counted 2020-02-29", times=0),
            pattern(r"'asked_at': '[^']*'", "'asked_at': '2020-02-29T08:00:00+00:00'", times=0),
            edits.in_metadata(r'("counted_at": )"[^"]*"', r'\1"2020-02-29T08:00:00+00:00"'),
        ),
    ),
    Planted("how often it was run", "table", edits.recounted),
    Planted("a path", "path", pattern(r"'/[^']*/tablo", "'/home/ayşe/tablo", "plain")),
    Planted("a path of Windows", "path", pattern(r"PosixPath\('/[^']*/", r"WindowsPath('C:/"), ()),
    Planted(
        "the id of a chart",
        "own chart",
        pattern("altair-viz-[0-9a-f]{32}", "altair-viz-" + "0" * 32, times=0),
    ),
)
"""What may be another without a word."""

_HELP = swap("See &quot;My numbers differ", "Read &quot;My numbers differ", "html")
REWORDED = (Planted("help in other words, of another version", "table", edits.each(_OLD, _HELP)),)
"""Other words of another version that are no result: they are shown, and it holds."""

OTHER_VERSION = tuple(
    Planted(
        f"{change.name}, of another version",
        change.cell,
        edits.each(change.edit, _OLD),
        change.named,
    )
    for change in (*_FIGURES, *_LETTERS, *_MEANING, *_LABELS, *_WIDGET)
)
"""What is a change whatever version it was saved with."""
