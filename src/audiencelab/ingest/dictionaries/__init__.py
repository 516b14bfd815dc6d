"""Labels of columns and values that are in another file or sheet than the answers.

`base` has what all of them give. Each other module reads one form: `tables` of variables, values
and labels, `datamaps` of Forsta (Decipher) in text, the data dictionary of `redcap`, forms of
KoboToolbox and ODK (`xlsform`), codebooks of `ddi`, structures of `limesurvey`. The dictionaries of
statistics files and of triple-S are read by their readers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.dictionaries.base import Dictionary
from audiencelab.ingest.dictionaries.datamaps import datamap
from audiencelab.ingest.dictionaries.ddi import ddi_codebook
from audiencelab.ingest.dictionaries.limesurvey import limesurvey_structure
from audiencelab.ingest.dictionaries.redcap import redcap_dictionary
from audiencelab.ingest.dictionaries.tables import label_table, label_workbook, sheet_variables
from audiencelab.ingest.dictionaries.xlsform import xlsform
from audiencelab.ingest.readers import SurveyFile, is_survey_file, open_file
from audiencelab.ingest.readers.excel import ExcelFile
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

__all__ = ["Dictionary", "dictionary_file", "read_dictionary", "sheet_dictionaries"]

_TABLES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".tab")

_FORMS: tuple[tuple[tuple[str, ...], Callable[[Path], Dictionary | None]], ...] = (
    ((".txt",), datamap),
    ((".lss", ".lsa"), limesurvey_structure),
    ((".xlsx",), xlsform),
    ((".xml",), ddi_codebook),
    ((".xlsx",), label_workbook),
    (_TABLES, redcap_dictionary),
    (_TABLES, label_table),
)
"""What reads the files of some suffixes; the first that does not return None has read its form."""


def read_dictionary(path: str | Path) -> Dictionary:
    """What a file says of the columns of another.

    Raises `SurveyError` for a file that is not there, or is of no form that is known;
    `SourceError` for one that says nothing.
    """
    file = dictionary_file(path)
    name = file.name.lower()
    readers = [read for suffixes, read in _FORMS if name.endswith(suffixes)]
    for read in readers:
        if found := read(file):
            return found
    is_xml = name.endswith(".xml")
    if readers and not is_xml:
        raise SourceError(
            SourcePlace(str(file)),
            "has no labels: its first row must name the columns variable, value and label.",
        )
    if is_survey_file(file) or is_xml:
        opened = open_file(file, Source())
        return Dictionary(file.name, opened.variables, opened.sets, opened.declared_weight)
    raise SurveyError(
        f"{file}: labels are read from a table (.csv, .tsv, .xlsx), a statistics file such as "
        ".sav, triple-S, a codebook of DDI (.xml), a LimeSurvey structure (.lss), or a datamap "
        "(.txt)."
    )


def dictionary_file(path: str | Path) -> Path:
    """The path of a file of labels; `SurveyError` if there is none."""
    file = Path(path).expanduser()
    if not file.is_file():
        raise SurveyError(f"{file}: there is no such file of labels.")
    return file


def sheet_dictionaries(files: Sequence[SurveyFile]) -> list[Dictionary]:
    """What the other sheets of workbooks say of the columns in them."""
    books = [file for file in files if isinstance(file, ExcelFile)]
    found = [(file, sheet_variables(file.path, file.sheet)) for file in books]
    return [
        Dictionary(f"another sheet of {file.name}", variables)
        for file, variables in found
        if not {*file.header}.isdisjoint(variables)
    ]
