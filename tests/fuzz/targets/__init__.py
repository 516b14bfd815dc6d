"""What is tried: for each reader of what comes from outside, where to begin and what must hold.

A target turns bytes into an answer: "accepted …" if the reader took them, else the words of its
refusal without the figures in them. Anything but the reader's documented errors is a failure, and
so is a figure that an oracle does not confirm.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from pathlib import Path
from random import Random
from typing import ClassVar

from tests.fuzz.mutating import mutated, mutated_json

__all__ = ["Target", "all_targets", "refused"]


class Target(ABC):
    """A reader.

    share: how many of a thousand executions are its own; quick ones get more.
    """

    name: ClassVar[str]
    share: ClassVar[int]
    is_json: ClassVar[bool] = False
    most_answers: ClassVar[int] = 60

    folder: Path

    def begin(self, folder: Path) -> None:
        """Make ready what trying needs; the folder is the target's own."""
        self.folder = folder

    @abstractmethod
    def seeds(self) -> list[bytes]:
        """Inputs as they should be, to begin with."""

    @abstractmethod
    def run(self, data: bytes) -> str:
        """The answer to one input; raises where a promise is broken."""

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        """The next input to try."""
        data = random.choice(inputs)
        if self.is_json and random.random() < 0.7:
            return mutated_json(data, random)
        return mutated(data, inputs, random)


def refused(error: Exception) -> str:
    """The kind of a refusal: its first words, without what stood in the input."""
    words = re.sub(r"(['\"`“]).*?\1|[\d,]+|/\S*", "…", str(error).partition("\n")[0])
    assert words.strip(), "a refusal without a word"
    return f"{type(error).__name__}: {words[:80]}"


def all_targets() -> list[Target]:
    """Every target, by its name."""
    from tests.fuzz.targets.codebooks import Codebooks
    from tests.fuzz.targets.codes import Codes
    from tests.fuzz.targets.expressions import Expressions
    from tests.fuzz.targets.snapshots import Snapshots
    from tests.fuzz.targets.streams import Streams
    from tests.fuzz.targets.survey_folders import Catalogues, Manifests
    from tests.fuzz.targets.surveys import DelimitedFiles, SurveyFiles
    from tests.fuzz.targets.tiles import Tiles

    kinds: list[type[Target]] = [
        *(Expressions, Codes, Streams, Tiles, Snapshots, Codebooks, Manifests, Catalogues),
        *(DelimitedFiles, SurveyFiles),
    ]
    return sorted((kind() for kind in kinds), key=lambda target: target.name)
