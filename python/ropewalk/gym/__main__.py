"""Commands: ``python -m ropewalk.gym bench | evaluate | learn | ppo | pictures``."""

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from ropewalk.gym import TASKS, ExpertPolicy, RandomPolicy, RopeVectorEnv, play
from ropewalk.gym.bench import bench, reset_cost
from ropewalk.gym.learn import SETTINGS, Settings, learn, normalized_return


def main() -> int:
    """Runs a command; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m ropewalk.gym", description="environments of Ropewalk")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, words in (
        ("bench", "steps per CPU-second, next to the bare engine"),
        ("evaluate", "success of the expert and of random actions"),
        ("learn", "covariance matrix adaptation of linear policies, and the return on unseen seeds"),
        ("ppo", "PPO by stable-baselines3"),
        ("pictures", "an image of each task as the expert leaves it"),
    ):
        command = commands.add_parser(name, help=words)
        command.add_argument("tasks", nargs="*", help="names of tasks; all by default")
        command.add_argument("--seed", type=int, default=0)
        command.add_argument("--threads", type=int, default=None)
        if name == "evaluate":
            command.add_argument("--episodes", type=int, default=100)
            command.add_argument("--policies", nargs="+", choices=("expert", "random"), default=("expert", "random"))
        if name in ("learn", "ppo", "pictures"):
            command.add_argument("--out", type=Path, default=None, help="folder for curves and images")
        if name == "ppo":
            command.add_argument("--steps", type=int, default=200_000)
    given = parser.parse_args()
    for name in given.tasks:
        if name not in TASKS:
            print(f"there is no task {name!r}, expected {', '.join(TASKS)}", file=sys.stderr)
            return 2
    names = given.tasks or (list(SETTINGS) if given.command in ("learn", "ppo") else list(TASKS))
    if given.command == "pictures":
        _pictures(names, given)
        return 0
    for name in names:
        {"bench": _bench, "evaluate": _evaluate, "learn": _learn, "ppo": _ppo}[given.command](name, given)
    return 0


def _bench(name: str, given: argparse.Namespace) -> None:
    found, cost = bench(TASKS[name]()), reset_cost(TASKS[name](), 8)
    print(
        f"{name:10s} {found['steps_per_cpu_second']:7.0f} steps per CPU-second, the engine alone "
        f"{found['engine_steps_per_cpu_second']:7.0f}: {100 * found['overhead']:4.1f} % for Python and observations; reset of a world "
        f"{cost['new_model_ms']:.2f} ms with new values, {cost['same_model_ms']:.2f} ms with the same model",
        flush=True,
    )


def _evaluate(name: str, given: argparse.Namespace) -> None:
    env = RopeVectorEnv(TASKS[name](), given.episodes, threads=given.threads)
    for words in given.policies:
        policy = ExpertPolicy(env) if words == "expert" else RandomPolicy(env, given.seed)
        started, failures = time.process_time(), env.failures
        outcome = play(env, policy, given.seed)
        print(
            f"{name:10s} {words}: success {100 * outcome.success.mean():5.1f} % of {given.episodes} seeds, mean return "
            f"{outcome.returns.mean():6.3f}, {outcome.steps.mean():5.1f} steps, {env.failures - failures} failed steps, "
            f"{outcome.steps.sum() / (time.process_time() - started):.0f} steps per CPU-second"
            + ("" if outcome.success.all() or words == "random" else f"; not {np.flatnonzero(~outcome.success).tolist()}"),
            flush=True,
        )


def _learn(name: str, given: argparse.Namespace) -> None:
    task, settings = TASKS[name](), SETTINGS.get(name, Settings())
    policy, curve = learn(task, settings, seed=given.seed, threads=given.threads, verbose=True)
    found = normalized_return(task, policy, settings.nodes)
    print(f"{name}: {curve.seconds[-1]:.0f} CPU-s of learning; on 100 unseen seeds " + json.dumps(found))
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        _draw_curve(given.out / f"{name.lower()}_learned.png", name, curve.steps, curve.best, found)


def _draw_curve(path: Path, name: str, steps: list[int], returns: list[float], found: dict[str, float]) -> None:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.plot(steps, returns, marker="o", markersize=3, label="learned")
    for key, style in (("expert", "--"), ("random", ":")):
        axes.axhline(found[key], linestyle=style, color="gray", label=key)
    axes.set(title=f"{name}: {found['normalized']:.2f} on unseen seeds", xlabel="steps of the environment", ylabel="return")
    axes.legend(frameon=False)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def _ppo(name: str, given: argparse.Namespace) -> None:
    from ropewalk.gym.ppo import train

    steps, returns, found = train(TASKS[name](), given.steps, given.seed)
    print(f"{name}: PPO, {steps[-1]} steps; on 100 unseen seeds " + json.dumps(found))
    if given.out is not None:
        given.out.mkdir(parents=True, exist_ok=True)
        _draw_curve(given.out / f"{name.lower()}_ppo.png", name, steps, returns, found)


def _pictures(names: list[str], given: argparse.Namespace) -> None:
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    columns = min(3, len(names))
    lines = -(-len(names) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(3.2 * columns, 2.6 * lines), layout="constrained", squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    for name, axis in zip(names, axes.flat, strict=False):
        env = RopeVectorEnv(TASKS[name](), 1, threads=given.threads)
        outcome = play(env, ExpertPolicy(env), given.seed)
        axis.imshow(env.batch.world(0).render("iso", 480, 360, samples=2))
        axis.set_title(f"{name}, after {outcome.steps[0] / env.task.rate:.1f} s", fontsize=9)
    out = given.out or Path(".")
    out.mkdir(parents=True, exist_ok=True)
    figure.savefig(out / "gym.png", dpi=100)
    plt.close(figure)
    print(out / "gym.png")


if __name__ == "__main__":
    sys.exit(main())
