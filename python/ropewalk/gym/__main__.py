"""Commands: ``python -m ropewalk.gym bench | evaluate | learn | ppo | pictures``. Tables are Markdown."""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ropewalk.gym import TASKS, RopeVectorEnv
from ropewalk.gym.bench import bench, reset_cost
from ropewalk.gym.evaluate import UNSEEN, Scale, Score, evaluate
from ropewalk.gym.learn import SETTINGS, Curve, Settings, learn


def main() -> int:
    """Runs a command; the exit code."""
    given = _arguments()
    for name in given.tasks:
        if name not in TASKS:
            print(f"there is no task {name!r}, expected one of {', '.join(TASKS)}", file=sys.stderr)
            return 2
    names = given.tasks or (list(SETTINGS) if given.command in ("learn", "ppo") else list(TASKS))
    {"bench": _bench, "evaluate": _evaluate, "learn": _learn, "ppo": _ppo, "pictures": _pictures}[given.command](names, given)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ropewalk.gym", description="environments of Ropewalk")
    commands = parser.add_subparsers(dest="command", required=True)
    made = {}
    for name, words in (
        ("bench", "steps per second, next to the bare engine"),
        ("evaluate", "success of the experts and of random actions"),
        ("learn", "linear policies by random search in NumPy, and their return on unseen seeds"),
        ("ppo", "PPO by stable-baselines3, and its return on unseen seeds"),
        ("pictures", "an image of each task as the expert leaves it"),
    ):
        made[name] = command = commands.add_parser(name, help=words)
        command.add_argument("tasks", nargs="*", help="names of tasks; all by default")
        command.add_argument("--threads", type=int, default=None, help="threads of the batch; one for each core by default")
        if name in ("learn", "ppo", "pictures"):
            command.add_argument("--out", type=Path, default=None, help="folder for figures; calls with other seeds add to them")
        if name in ("learn", "ppo"):
            command.add_argument("--seeds", type=int, nargs="+", default=[0], help="one run of learning for each")
    made["bench"].add_argument("--rounds", type=int, default=3, help="of which the fastest counts; more where other programs run")
    made["evaluate"].add_argument("--episodes", type=int, default=100)
    made["evaluate"].add_argument("--seed", type=int, default=10_000, help="the first seed; each episode has the next one")
    made["pictures"].add_argument("--seed", type=int, default=0)
    made["learn"].add_argument("--method", choices=("cma", "cem"), default=None, help="in place of the task's")
    made["learn"].add_argument("--iterations", type=int, default=None, help="in place of the task's")
    made["ppo"].add_argument("--steps", type=int, default=300_000)
    return parser.parse_args()


def _row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def _head(*cells: str) -> None:
    _row(*cells)
    print("|" + "---|" * len(cells), flush=True)


def _bench(names: Sequence[str], given: argparse.Namespace) -> None:
    threads = given.threads or 2
    versions = ", ".join(f"{package} {version(package)}" for package in ("gymnasium", "numpy"))
    # Other programs slow several threads down: how many there were belongs to the numbers (no such count on Windows).
    load = f"load average {os.getloadavg()[0]:.1f} at the start, " if hasattr(os, "getloadavg") else ""
    print(f"{os.cpu_count()} cores, {load}{versions}, best of {given.rounds} rounds\n", flush=True)
    several = [f"steps per second, {threads} threads"] if threads > 1 else []
    head = ["task", "steps per CPU-second, 1 thread", "engine alone", "Python and observations", *several]
    _head(*head, "reset, new values", "reset, same model")
    for name in names:
        task = TASKS[name]()
        one, reset = bench(task, 1, rounds=given.rounds), reset_cost(task, 8)
        cells = [name, f"{one.whole:.0f}", f"{one.engine:.0f}", f"{100 * one.overhead:.0f} %"]
        if threads > 1:
            cells.append(f"{bench(task, threads, rounds=given.rounds).whole:.0f}")
        _row(*cells, *(f"{reset[kind]:.2f} ms" for kind in ("new_model_ms", "same_model_ms")))


def _evaluate(names: Sequence[str], given: argparse.Namespace) -> None:
    seeds = range(given.seed, given.seed + given.episodes)
    print(f"Seeds {seeds[0]} to {seeds[-1]}\n")
    _head("task", "expert", "fails with the seeds", "random actions", "steps of the expert", "failed steps: expert, random")
    for name in names:
        expert, chance = (evaluate(TASKS[name](), policy, seeds, given.threads) for policy in ("expert", "random"))
        _row(
            name,
            f"{100 * expert.success.mean():.0f} %",
            ", ".join(str(seeds[i]) for i in np.flatnonzero(~expert.success)) or "none",
            f"{100 * chance.success.mean():.0f} %",
            f"{expert.steps.mean():.0f}",
            f"{expert.failed.sum()} of {expert.steps.sum()}, {chance.failed.sum()} of {chance.steps.sum()}",
        )


def _learned_head() -> None:
    _head("task", "method", "seed", "steps", "CPU-s", "normalized return", "success")


def _learned_row(name: str, method: str, seed: int, curve: Curve, score: Score) -> None:
    numbers = (f"{curve.seconds[-1]:.0f}", f"{score.normalized:.3f}", f"{100 * score.success:.0f} %")
    _row(name, method, seed, curve.steps[-1], *numbers)


def _learn(names: Sequence[str], given: argparse.Namespace) -> None:
    _learned_head()
    for name in names:
        task, settings = TASKS[name](), SETTINGS.get(name, Settings())
        settings = replace(settings, method=given.method or settings.method, iterations=given.iterations or settings.iterations)
        env, scale = RopeVectorEnv(task, len(UNSEEN), nodes=settings.nodes, threads=given.threads), Scale(task, given.threads)
        for seed in given.seeds:
            policy, curve = learn(task, settings, seed=seed, threads=given.threads, verbose=True)
            _learned_row(name, f"{settings.method}, {settings.iterations} iterations", seed, curve, scale.score(env, policy))
            _draw(given, name, "learned", seed, (curve.steps, curve.best), scale)


def _ppo(names: Sequence[str], given: argparse.Namespace) -> None:
    from ropewalk.gym.ppo import NODES, train

    _learned_head()
    for name in names:
        task = TASKS[name]()
        env = RopeVectorEnv(task, len(UNSEEN), observation="flat", nodes=NODES, threads=given.threads)
        scale = Scale(task, given.threads)
        for seed in given.seeds:
            policy, curve = train(task, given.steps, seed, given.threads)
            _learned_row(name, "PPO", seed, curve, scale.score(env, policy))
            _draw(given, name, "ppo", seed, (curve.steps, curve.mean), scale)


def _draw(given: argparse.Namespace, name: str, kind: str, seed: int, curve: tuple[list[int], list[float]], scale: Scale) -> None:
    if given.out is not None:
        from ropewalk.gym.figures import draw_curves

        draw_curves(given.out, f"{name.lower()}_{kind}", name, seed, curve, scale)


def _pictures(names: Sequence[str], given: argparse.Namespace) -> None:
    from ropewalk.gym.figures import draw_tasks

    draw_tasks((given.out or Path(".")) / "gym.png", names, given.seed, given.threads)


if __name__ == "__main__":
    sys.exit(main())
