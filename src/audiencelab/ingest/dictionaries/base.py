"""What a file says of the columns of another file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from msgspec import structs

from audiencelab.ingest.codebook import AskedCondition
from audiencelab.ingest.columns import ResponseSet, Variable
from audiencelab.ingest.markup import composed
from audiencelab.ingest.meaning.guess import Guess
from audiencelab.ingest.readers import SurveyFile
from audiencelab.ingest.readers.encodings import Encoding
from audiencelab.survey.errors import SurveyError, listed


@dataclass(frozen=True)
class Dictionary:
    """What a file says of the columns of another.

    name: its name, and the sheet perhaps. variables: by the name of the column, in any case. A form
    whose columns are called differently by different exports lists each under all of these names.
    declared_weight: the column that weighs the answers; "" for none. title: of the survey.
    study: what it says of it, by `STUDY_FIELDS`.
    repeats: the columns of each group of questions that is asked several times.
    other_weights: the columns that it declares as weights where it declares several.
    encoding: of its text, and how it was found. guesses: what was taken for granted of it.
    """

    name: str
    variables: Mapping[str, Variable]
    sets: tuple[ResponseSet, ...] = ()
    declared_weight: str = ""
    title: str = ""
    study: Mapping[str, str] = field(default_factory=dict[str, str])
    repeats: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    other_weights: tuple[str, ...] = ()
    encoding: Encoding = field(default_factory=Encoding)
    guesses: tuple[Guess, ...] = ()

    def describe(self, files: Sequence[SurveyFile]) -> None:
        """Tell some files what their columns are.

        Raises `SurveyError` if none of the columns is in the files.
        """
        names = {composed(name).lower(): variable for name, variable in self.variables.items()}
        # Names in any case before names without blanks, which may be those of several.
        known = {_plain(name): variable for name, variable in names.items()} | names
        columns = {
            name: said
            for file in files
            for name in file.header
            if (said := known.get(name.lower()) or known.get(_plain(name)))
        }
        # Columns about the submission have the same names in all surveys.
        if all(said.no_question for said in columns.values()):
            raise SurveyError(
                f"{self.name} describes none of the columns of {files[0].name}: it has labels of "
                f"{listed([*self.variables])}, and the file has {listed(files[0].header)}."
            )
        for file in files:
            found = {name: columns[name] for name in file.header if name in columns}
            found = _with_own_names(found, known)
            own = file.variables
            file.variables = {
                **own,
                **{name: own.get(name, Variable()).completed(said) for name, said in found.items()},
            }
            file.sets = file.sets or self.sets
            file.title = file.title or self.title
            file.study = {**self.study, **file.study}
            if (weight := composed(self.declared_weight)) in file.header:
                file.declared_weight = file.declared_weight or weight
            file.guesses = (*file.guesses, *self.guesses, *self._elsewhere(file))
            weights = tuple(name for name in self.other_weights if name in file.header)
            file.other_weights = file.other_weights or weights
            reason = f"labels of {len(found):,} columns from {self.name}"
            told = [file.heading, reason, self.encoding.said and f"it is {self.encoding.said}"]
            file.heading = "; ".join(filter(None, told))

    def _elsewhere(self, file: SurveyFile) -> Iterator[Guess]:
        """Groups of questions that are asked several times, whose answers are not in a file."""
        header = {name.rpartition("/")[2].lower() for name in file.header}
        for group, names in self.repeats.items():
            if header.isdisjoint(map(str.lower, names)):
                said = f"{listed(names)} (repeated, so in a sheet of its own: {group})"
                yield Guess("file", "left out", said, f"al.open(…, sheet={group!r})", 2)


def _with_own_names(
    found: Mapping[str, Variable], known: Mapping[str, Variable]
) -> dict[str, Variable]:
    """The columns of a file, whose conditions name other columns as the file does.

    Conditions on a column that the file does not have say nothing of it.
    """
    # A column is the same variable by all of its names.
    names = {id(said): name for name, said in found.items()}

    def named(conditions: tuple[AskedCondition, ...]) -> tuple[AskedCondition, ...]:
        of = [known.get(_plain(composed(each.column))) for each in conditions]
        if any(said is None or id(said) not in names for said in of):
            return ()
        pairs = zip(conditions, of, strict=True)
        return tuple(structs.replace(each, column=names[id(said)]) for each, said in pairs)

    return {name: replace(said, asked_of=named(said.asked_of)) for name, said in found.items()}


def _plain(name: str) -> str:
    """A name without blanks: programs that write the text of a question divide it differently."""
    return "".join(name.lower().split())
