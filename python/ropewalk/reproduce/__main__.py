"""``python -m ropewalk.reproduce [NAME…] [--quick] [--overnight] [--out DIR]``."""

import argparse
import datetime
import platform
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from ropewalk import __version__
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.pages import write_html, write_markdown
from ropewalk.reproduce.progress import Bar, clock
from ropewalk.reproduce.registry import NAMES, find, load
from ropewalk.reproduce.report import Section, problems
from ropewalk.reproduce.runs import Result, version
from ropewalk.reproduce.schedule import run_all

TITLE = "The paper's experiments, run again"


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m ropewalk.reproduce",
        description="Runs the experiments of the paper and its baselines and writes report.html and report.md. "
        "What has been run stays in DIR/results; the same command goes on where it was stopped.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"what is run, all by default: {', '.join(NAMES)}")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--quick", action="store_const", const="quick", dest="form", help="below ten minutes on two cores")
    forms.add_argument("--overnight", action="store_const", const="overnight", dest="form", help="no limit on runs of others")
    forms.add_argument("--tiny", action="store_const", const="tiny", dest="form", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=Path("out/reproduce"), metavar="DIR", help="where it goes (out/reproduce)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs side by side, each on one thread (2)")
    parser.add_argument("--knots", type=Path, metavar="DIR", help="published start shapes of knots, n1.txt to n4.txt")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    return parser.parse_args(given)


def _about(form: Form, names: Sequence[str], results: Sequence[Result]) -> list[str]:
    packages = [f"{p} {v}" for p in ("numpy", "mujoco", "pyelastica", "drake", "newton") if (v := version(p))]
    flag = form.flag if len(names) == len(NAMES) else f" {' '.join(names)}{form.flag}"
    today = datetime.date.today().isoformat()
    return [
        "Every number of ours and of other simulators comes from runs on this machine, one thread each; those of the paper "
        "from the paper. The section of an experiment has its settings, and the last one has the claims.",
        f"`python -m ropewalk.reproduce{flag}`, {today}, ropewalk {__version__}, {', '.join(packages)}, Python "
        f"{platform.python_version()}, {_processor()}; "
        f"{len(results)} runs took {sum(result.cpu_seconds for result in results):.0f} CPU-seconds.",
    ]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def main(given: Sequence[str] | None = None) -> int:
    """Runs the command; 0 if every run has ended, 1 if one failed, 2 if it was called wrongly."""
    arguments = _arguments(given)
    try:
        names = find(arguments.names)
        if arguments.jobs < 1:
            raise ValueError(f"--jobs is {arguments.jobs}, expected at least 1")
        if arguments.knots is not None and not (arguments.knots / "n4.txt").is_file():
            raise ValueError(f"--knots: there is no n4.txt in {arguments.knots}")
        import matplotlib  # noqa: F401
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ImportError:
        print("error: figures need matplotlib: pip install 'ropewalk[reproduce]'", file=sys.stderr)
        return 2
    form = Form(arguments.form or "full", arguments.knots)
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    experiments = {name: load(name) for name in names}
    runs = {name: experiments[name].runs(form) for name in names}
    results = run_all([run for name in names for run in runs[name]], out, arguments.jobs, Bar(quiet=arguments.quiet))
    sections: list[Section] = []
    for name in names:
        found = [results[run.key] for run in runs[name]]
        section = experiments[name].section(form, found)
        section.add(f"Command: `python -m ropewalk.reproduce {name}{form.flag}`")
        section.add(*problems(found))
        sections.append(section)
    about = _about(form, names, list(results.values()))
    write_html(out / "report.html", TITLE, about, sections)
    write_markdown(out, TITLE, about, sections)
    print(f"{out / 'report.html'} and {out / 'report.md'}: {len(sections)} sections in {clock(time.monotonic() - began)}")
    return 1 if any(not result and not result.skipped for result in results.values()) else 0


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    # So that its runs end with it.
    signal.signal(signal.SIGTERM, _stop)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
