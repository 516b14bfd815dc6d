"""`python -m tests.first_hour` prints what each kind of user's guesses do, and those to be mended.

With the name of a persona it lists every guess of it with its message.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.first_hour.grading import CRASH, GOOD, LINE, MISLEADING, PERSONAS, REFUSED, WORKS
from tests.first_hour.setting import setting

COLUMNS = (WORKS, LINE, REFUSED, MISLEADING, CRASH)


def main(listed: list[str]) -> None:
    with TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        with setting(Path(folder)) as grades:
            graded = {persona: grades(persona) for persona in PERSONAS}
    print(f"| guesses of | {' | '.join(('all', *COLUMNS))} | good |")
    print(f"| --- |{' ---: |' * (len(COLUMNS) + 2)}")
    everything = [each for every in graded.values() for each in every]
    for name, every in [*graded.items(), ("all", everything)]:
        counts = Counter(each.grade for each in every)
        good = sum(counts[each] for each in GOOD) / len(every)
        cells = (str(counts[each]) for each in COLUMNS)
        print(f"| {name} | {len(every)} | {' | '.join(cells)} | {good:.0%} |")
    for each in everything:
        if each.grade not in GOOD or each.guess.persona in listed:
            print(f"\n{each.guess.persona}: {each.guess.code}\n    {each.grade}: {each.message}")
            print(f"    {each.line}" if each.line else "")


if __name__ == "__main__":
    main(sys.argv[1:])
