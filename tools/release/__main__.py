"""Make a version: `python -m tools.release 1.0.0`, or `--dry-run` to see whether it would go.

Looks whether it may be made, builds wheel and source distribution twice, installs and uses them on
every Python that it finds, and only then sets the version and the tag. Nothing is uploaded, and
until the last step nothing in the checkout is changed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.release.building import NotTheSame, build, clone_with_version, digests
from tools.release.checks import BRANCH, git, obstacles
from tools.release.sbom import write_sbom
from tools.release.trying import Tried, find_pythons, try_all

ROOT = Path(__file__).parents[2]
STOPPED = 2


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    """0 if the version was made, or would be; 2 if something stands against it."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("version", help="such as 1.0.0")
    parser.add_argument("--dry-run", action="store_true", help="all but the version and the tag")
    options = parser.parse_args(arguments)
    found = obstacles(root, options.version)
    for each in found:
        print(f"- {each}")
    if found and not options.dry_run:
        print("Nothing was done.")
        return STOPPED
    print("These are not run here: `make test`, and `make soak`, on this very commit, first.")
    with tempfile.TemporaryDirectory(prefix="audiencelab-release-") as folder:
        try:
            good = _make(root, options.version, Path(folder), options.dry_run)
        except NotTheSame as error:
            print(f"Stopped: {error}.")
            good = False
        except subprocess.CalledProcessError as error:
            print(f"Stopped: {error.stderr or error}")
            good = False
    if options.dry_run and good:
        print("It would go." if not found else "It would go once the points above are settled.")
    return 0 if good and not found else STOPPED


def _make(root: Path, version: str, folder: Path, dry_run: bool) -> bool:
    clone = folder / "checkout"
    commit = clone_with_version(root, clone, version)
    print(f"Building {version} twice …", flush=True)
    made = build(clone, folder / "dist")
    for name, digest in digests(made).items():
        print(f"  {digest}  {name}")
    pythons, missing = find_pythons()
    print(f"Installing on Python {', '.join(pythons)} …", flush=True)
    tried = try_all(made, pythons, version, folder)
    for python in missing:
        print(f"  Python {python}: not on this machine, so not tried")
    if not _all_hold(tried):
        return False
    if not dry_run and not _tag(root, clone, commit, version):
        return False
    [wheel] = [file for file in made if file.suffix == ".whl"]
    bill = write_sbom(wheel, list(pythons.values())[-1], folder)
    out = root / ("build/release" if dry_run else "dist")
    _keep([*made, bill], out)
    print(f"They are in {out.relative_to(root)}, with a bill of materials and their digests.")
    if not dry_run:
        print(f"{version} is tagged v{version}. Nothing was uploaded. To publish:")
        print(f"  git push origin {BRANCH} v{version}")
        print("  python -m uv publish dist/*.whl dist/*.tar.gz")
    return True


def _all_hold(tried: list[Tried]) -> bool:
    faults = [each for each in tried if each.fault]
    for each in faults:
        print(f"Stopped: {each}")
    if not tried:
        print("Stopped: there is no Python to try it on.")
    return bool(tried) and not faults


def _keep(made: list[Path], out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for file in made:
        shutil.copy2(file, out)
    lines = [f"{digest}  {name}\n" for name, digest in digests(made).items()]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def _tag(root: Path, clone: Path, commit: str, version: str) -> bool:
    """The commit that was built becomes the branch's, and gets the tag."""
    git(root, "fetch", "--quiet", "--no-tags", str(clone), "HEAD")
    moved = git(root, "rev-list", f"{commit}..HEAD") or git(root, "status", "--porcelain")
    if moved:  # that would be another thing than was tried
        print(f"Stopped: {BRANCH} has moved on meanwhile. Nothing was changed; run it again.")
        return False
    git(root, "merge", "--quiet", "--ff-only", commit)
    git(root, "tag", "--annotate", f"v{version}", "-m", f"audiencelab {version}", commit)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
