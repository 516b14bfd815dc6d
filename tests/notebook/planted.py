"""Changes planted in a saved notebook, and what a report of its verification must name.

Each is of one cell of `coffee.CELLS`; the others hold. What must be named are regular expressions,
each of which finds something in the report, in small or capital letters.
"""

from __future__ import annotations

from tests.notebook import edits
from tests.notebook.edits import pattern, swap
from tests.notebook.planted_files import (
    FILES,
    NOTED,
    PICTURE,
    PICTURES,
    SAVED_TABLES,
    Planted,
    words,
)

__all__ = ["HARMLESS", "NOTED", "OTHER_VERSION", "PLANTED", "REWORDED", "Planted"]


_ROW = "<tr[^>]*>(?:(?!</tr>).)*"
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
    words("the base", "table", "those who answered", "everyone"),
    Planted(
        "the base in Markdown",
        "table",
        swap("those who answered", "everyone", "markdown"),
        ("Markdown", "everyone"),
    ),
    words("the base audience", "women", "Cinsiyet is Kadın", "Cinsiyet is Erkek"),
    words("sides of a test", "letters", "Two-sided", "One-sided"),
    words("pooled variances", "letters", ", pooled", ", unpooled"),
    words("unpooled variances", "other weight", "unpooled", "pooled"),
    words("the correction", "letters", "no correction", "Holm's correction"),
    words("what a letter marks", "letters", "larger share", "smaller share"),
    words("what is compared", "letters", "columns compared", "rows compared"),
    words("the design", "letters", "each respondent a cluster", "each household a cluster"),
    words("a level", "letters", "capital 95%", "capital 90%"),
    words("respondents left out", "letters", "left out", "kept in"),
    words("the weight", "table", "Weight: agirlik", "Weight: agirlik_b"),
    words("the other weight", "other weight", "agirlik_b", "agirlik", "html"),
    words("unweighted, as if weighted", "unweighted", "Unweighted", "Weighted", "html"),
    words("a wave", "one wave", "Sonbahar 2025", "Kış 2025"),
    words("the waves", "table", "3 waves", "2 waves"),
    words("the last wave", "table", "Sonbahar 2025", "Yaz 2025"),
    words("a window of waves", "trend", "Moving average of 2 waves", "Moving average of 3 waves"),
    words("how windows are named", "trend", "İlkbahar–Yaz", "Yaz–Sonbahar", "html"),
    words("the metric of a table", "table", "column %", "row %"),
    words("a statistic", "estimate", "Mean of", "Median of"),
    words("a unit", "estimate", "(TL)", "(EUR)"),
    words("the audience of a profile", "profile", "is Kadın", "is not Kadın"),
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
    words("a title", "table", "Bilinen markalar by Cinsiyet, Yaş", "Sevilen markalar by Cinsiyet"),
    words("the survey", "table", "survey kahve", "survey of Mars"),
    words("intervals of a mean", "estimate", "by t,", "by bootstrap,"),
    words("weighted to the average of waves", "table", "average of waves", "sum of waves", "html"),
    words("not significant", "sentence", "not significant", "significant"),
    words("higher", "sentence", "higher", "lower"),
    words("women", "sentence", "of women", "of men"),
)
_LABELS = (
    words("an answer", "table", "35 yaş altı", "35 yaş üstü"),
    words("a letter without its dot", "table", "İnci", "Inci"),
    words("a row of a scale", "women", "Memnun değil", "Memnun"),
    words("a brand in a frame", "frame", "Çınaraltı", "Kuru Kahve", "html"),
    Planted(
        "two columns exchanged",
        "table",
        swap(">Kadın</th><th scope=col>Erkek<", ">Erkek</th><th scope=col>Kadın<", "html"),
        ("Kadın", "Erkek"),
    ),
    words("a label of a mean", "means", "5 Çok memnun", "5 Hiç memnun değil"),
    words("only", "overlap", "Şirin Köşe only", "Şirin Köşe"),
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
    words("Markdown by hand", "picture", "daha memnun", "daha az memnun"),
    words("HTML by hand", "picture", "Kaynak:", "Yalan:", "html"),
    words("a title in LaTeX", "latex", "Bilinen markalar by", "Sevilen markalar by"),
    words("the base in LaTeX", "latex", "those who answered", "everyone"),
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
    words("a letter of another alphabet", "table", "Kuru Kahve", "Kuru Kаhve"),
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
        (PICTURE,),
    ),
    Planted(
        "a chart's alt text",
        "chart",
        pattern('aria-label="dots of', 'aria-label="shares of', "svg"),
        (PICTURE,),
    ),
    Planted("a chart's picture deleted", "chart", edits.deleted_output("svg"), (PICTURE,)),
    Planted("a table's page deleted", "letters", edits.deleted_output("html"), ("HTML",)),
    Planted("a saved table deleted", "table", edits.deleted_output("grid"), ("saved|widget",)),
    words("the name of a file in a path", "path", "tablo.csv", "baska.csv"),
    Planted(
        "the name of a widget's base",
        "widget",
        swap("base='All'", "base='Kadın'", "plain"),
        ("Kadın",),
    ),
    Planted("code of a widget", "widget", swap("['Bölge']", "['Yaş']", "markdown"), ("Yaş",)),
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
    *PICTURES,
    *_SLY,
    *SAVED_TABLES,
    *FILES,
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
"""Other words of another version that do not count as a result: they are shown, and it holds."""

LOOKS = (
    "colours of a saved table",
    "a bar of an SVG file",
    "pixels of a PNG file",
    "the record of a page",
)
"""What may be drawn otherwise by another version, if nothing else is."""

OTHER_VERSION = tuple(
    Planted(
        f"{change.name}, of another version",
        change.cell,
        edits.each(change.edit, _OLD),
        tuple(words for words in change.named if words != "text"),
    )
    for change in (*_FIGURES, *_LETTERS, *_MEANING, *_LABELS, *SAVED_TABLES, *FILES)
    if change.name not in LOOKS
)
"""What is a change whatever version it was saved with."""
