"""Runs are run, several at a time, and what they come to is kept: a run that is there is not run again."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ropewalk.reproduce.progress import Bar
from ropewalk.reproduce.runs import Result, Run, missing_packages

__all__ = ["run_all"]

POLL = 0.05
"""s between looks at running processes."""


@dataclass
class _Going:
    run: Run
    process: subprocess.Popen[bytes]
    messages: Path


def run_all(runs: Sequence[Run], out: Path, jobs: int, bar: Bar) -> dict[str, Result]:
    """Runs what is not in ``out`` yet, ``jobs`` at a time, the longest first; gives results by the keys of runs.

    What fails is a result with a failure; it is tried again by the next command. Results of another version of the engine,
    of the experiment or of a peer have another name, so they are never taken for these.
    """
    kept = out / "results"
    kept.mkdir(parents=True, exist_ok=True)
    results: dict[str, Result] = {}
    waiting: list[Run] = []
    for run in runs:
        if run.key in results or any(run.key == other.key for other in waiting):
            continue
        if missing := missing_packages(run):
            wish = " ".join(missing)
            results[run.key] = Result(run, {}, f"skipped: pip install {wish} (not installed)", skipped=True)
        elif (path := kept / f"{run.key}.json").is_file():
            results[run.key] = _kept(run, path)
        else:
            waiting.append(run)
    waiting.sort(key=lambda run: -run.weight)
    bar.begin(len(results), [run.weight for run in waiting])
    going: list[_Going] = []
    try:
        while waiting or going:
            while waiting and len(going) < jobs:
                going.append(_start(waiting.pop(0), kept))
            for one in [one for one in going if one.process.poll() is not None]:
                going.remove(one)
                results[one.run.key] = result = _finish(one, kept)
                bar.advance(one.run.weight, one.run.title, result.failure)
            bar.show([one.run.title for one in going])
            time.sleep(POLL)
    finally:
        # Our own processes, if we are stopped.
        for one in going:
            one.process.kill()
            one.process.wait()
    bar.close()
    return results


def _start(run: Run, kept: Path) -> _Going:
    # One thread each: times are those of one thread, and several runs go side by side.
    names = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(names, "1") | {"MPLBACKEND": "Agg"}
    messages = kept / f"{run.key}.log"
    command = [sys.executable, "-m", "ropewalk.reproduce._worker", run.function]
    command += [json.dumps(dict(run.settings)), str(kept / f"{run.key}.json")]
    with messages.open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, env=environment)
    return _Going(run, process, messages)


def _kept(run: Run, path: Path) -> Result:
    found = json.loads(path.read_text(encoding="utf-8"))
    return Result(run, found["values"], cpu_seconds=found["cpu_seconds"])


def _finish(one: _Going, kept: Path) -> Result:
    path = kept / f"{one.run.key}.json"
    if one.process.returncode == 0 and path.is_file():
        one.messages.unlink(missing_ok=True)
        return _kept(one.run, path)
    lines = one.messages.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    last = lines[-1] if lines else f"it ended with code {one.process.returncode}"
    return Result(one.run, {}, f"failed: {last}")
