"""The subcommand `audiencelab skill`: what coding assistants read about the package."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from audiencelab.cli.help import command
from audiencelab.cli.output import echo, examples, out_option, quiet_option

SKILL = Path(__file__).parents[1] / "skill"
"""A folder as assistants read it: SKILL.md, and the pages that it names."""

NAME = "audiencelab"


@command(epilog=examples("skill", "skill -o .claude/skills", "skill -o .agents/skills"))
@out_option(
    "FOLDER", f"Copy it to FOLDER/{NAME}, or to FOLDER if that is its name; a copy is replaced."
)
@quiet_option
def skill(out: Path | None, quiet: bool) -> None:
    """Print where the skill for coding assistants is, or copy it.

    A skill is a folder of Markdown that an assistant reads before it writes code: conventions,
    traps, tasks with their code and output, and all public names, of the installed version.
    """
    if out is None:
        echo(str(SKILL))
        return
    folder = out if out.name == NAME else out / NAME
    if folder.exists() and not _is_copy(folder):
        raise click.UsageError(
            f"{folder} exists and is not a copy of the skill. Give another folder: "
            "audiencelab skill -o .agents/skills"
        )
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(SKILL, folder, copy_function=shutil.copyfile)
    if not quiet:
        echo(str(folder / "SKILL.md"))


def _is_copy(folder: Path) -> bool:
    """Whether a folder holds this skill, of any version, and nothing but pages."""
    first = folder / "SKILL.md"
    pages = [path for path in folder.rglob("*") if path.is_file()]
    return (
        first.is_file()
        and f"name: {NAME}\n" in first.read_text(encoding="utf-8", errors="replace")
        and all(path.suffix == ".md" for path in pages)
    ) or (folder.is_dir() and not any(folder.iterdir()))
