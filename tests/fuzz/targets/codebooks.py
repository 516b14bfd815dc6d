"""Codebooks as TOML and as JSON, written by hand or by anybody."""

from __future__ import annotations

import json
import tomllib
from random import Random

import msgspec

from audiencelab.ingest.codebook_files import load_codebook, parse_codebook
from audiencelab.survey import SurveyError
from tests.fuzz.mutating import mutated, mutated_json
from tests.fuzz.targets import Target, refused
from tests.ingest.sources import CODEBOOK

__all__ = ["Codebooks"]


class Codebooks(Target):
    """`load_codebook`; one that is read can be written as JSON and is read back the same."""

    name = "codebooks"
    share = 30

    def seeds(self) -> list[bytes]:
        document = json.dumps(tomllib.loads(CODEBOOK), default=str)
        bands = '{"questions":[{"code":"a","name":"A","column":"a","datapoints":[{"name":"x",'
        return [
            CODEBOOK.encode(),
            document.encode(),
            (bands + '"min":1,"max":2.5,"midpoint":1e308}]}]}').encode(),
            b'questions = [{code = "a", name = "A", column = "a"}]\n',
        ]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        data = random.choice(inputs)
        is_json = data[:1] == b"{"
        # A parser of TOML in Python takes its time: most inputs are JSON.
        if not is_json and random.random() < 0.6:
            data, is_json = inputs[1], True
        if is_json and random.random() < 0.8:
            return mutated_json(data, random)
        return mutated(data, inputs, random)

    def run(self, data: bytes) -> str:
        suffix = ".json" if data[:1] == b"{" else ".toml"
        path = self.folder / f"codebook{suffix}"
        path.write_bytes(data)
        try:
            read = load_codebook(path)
        except SurveyError as error:
            return f"{suffix} {refused(ValueError(str(error).removeprefix(f'{path}')))}"
        written = msgspec.json.decode(msgspec.json.encode(read))
        again = parse_codebook(written)
        assert msgspec.json.encode(again) == msgspec.json.encode(read)
        return f"accepted {suffix} {min(len(read.questions), 7)}"
