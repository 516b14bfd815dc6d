"""How often audiencelab is wrong where the truth is known: `python -m tests.bench gate`."""

from __future__ import annotations

from tests.analysis.gate_rates import report


def main() -> None:
    """Print the rates of all designs, 400 tables each; it takes some minutes."""
    for line in report():
        print(line, flush=True)


if __name__ == "__main__":
    main()
