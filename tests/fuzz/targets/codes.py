"""Audiences as Python code, pasted by people: nothing of it is run, and it may be anything."""

from __future__ import annotations

from random import Random

from audiencelab.expressions import MAX_NODES, CodeError, Expression, read_code, walk
from tests.fuzz.mutating import mutated
from tests.fuzz.targets import Target, refused

__all__ = ["Codes"]

_WORDS = (
    *("al.", "Q(", "'q4'", ")", "any(", "all(", "at_least(", "2, ", "*codes", "**codes", "codes"),
    *("all_of(", "any_of(", "Audience(", "name=", "expression=", "suffixes=[1]", " & ", " | "),
    *("~", "[", "]", ", ", "\n", " = ", "x", "x & x", "x = x & x\n", "x = any_of(x, x)\n", "None"),
    *("lambda: ", "f'{x}'", "b'x'", "0x" + "f" * 9_000, "'\\ud800'", "\ud800", "\x00", "# "),
    *("import os\n", "x += 1", ":=", "await ", "1e5", "...", "(", "-", "not ", "__class__", "\t"),
)


class Codes(Target):
    """`read_code`; what is read is written as code, and read back."""

    name = "codes"
    share = 40

    def seeds(self) -> list[bytes]:
        codes = (
            "al.Q('q4').any('q4_1') & ~al.Q('q20', suffixes=[1, '01']).at_least(2, 'a', 'b')",
            "import audiencelab as al\ncodes = ['q4_2']\nx = al.Q('q4').all(*codes)\nx | x",
            "[al.Audience(name='A', expression=al.Q('q').any(), id='1'), any_of(Q('a').any())]",
            "x = Q('a').any()\n" + "x = x & x\n" * 40,
            "x = Q('a').any()\n" + "x = all_of(x, x)\n" * 40,
            "c = ['a'" + ", 'a'" * 400 + "]\nQ('a').any(" + "*c, " * 400 + ")",
            "x += 0x" + "f" * 9_000,
        )
        return [code.encode() for code in codes]

    def made(self, random: Random, inputs: list[bytes]) -> bytes:
        if random.random() < 0.5:
            return mutated(random.choice(inputs), inputs, random)
        text = _text(random.choice(inputs))
        for _ in range(random.choice((1, 2, 3))):
            place = random.randrange(len(text) + 1)
            word = random.choice(_WORDS) * random.choice((1, 1, 1, 50))
            text = text[:place] + word + text[place + random.choice((0, 0, 1, 5)) :]
        return text.encode("utf-8", "surrogatepass")

    def run(self, data: bytes) -> str:
        try:
            read = read_code(_text(data))
        except CodeError as error:
            return refused(error)
        for each in read:
            root = each if isinstance(each, Expression) else each.expression
            nodes = 0
            for nodes, _ in enumerate(walk(root) if root is not None else (), start=1):
                assert nodes <= MAX_NODES
            code = each.to_code()
            assert each.describe()
            if len(code) < 100_000:
                assert read_code(code) == [each]
        kinds = {type(each).__name__ for each in read}
        return f"accepted {min(len(read), 5)} of {', '.join(sorted(kinds))}"


def _text(data: bytes) -> str:
    """Text that may hold halves of surrogate pairs, as text from a browser may."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")
