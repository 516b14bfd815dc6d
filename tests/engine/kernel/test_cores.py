"""Cores that share a table, also in a copy of the process that made them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

COPIED = """
import os, signal
import numpy as np
from audiencelab.engine.kernel import parallel

def share(start, stop):
    return np.full((1, 1), stop - start), np.full((1, 1), float(stop - start))

def table():
    return parallel.add_up(share, 1_000_000, 10)[0].item()

parallel.available_cores = lambda: 2
assert table() == 1_000_000
copy = os.fork()
if not copy:
    signal.alarm(20)
    os._exit(0 if table() == 1_000_000 else 1)
code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
assert code == 0, f"the copy ended with {code}"
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process is copied on this system")
def test_a_copy_of_the_process_has_cores_of_its_own() -> None:
    """Threads do not come along: work given to those of the first process would never begin."""
    done = subprocess.run([sys.executable, "-c", COPIED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
