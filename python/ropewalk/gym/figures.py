"""Figures: curves of learning, and the tasks as their experts leave them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

from ropewalk.gym.evaluate import Scale
from ropewalk.gym.policies import ExpertPolicy, play
from ropewalk.gym.tasks import TASKS
from ropewalk.gym.vector_env import RopeVectorEnv

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

__all__ = ["draw_curves", "draw_tasks"]


def draw_curves(path: Path, title: str, curves: Mapping[str, tuple[Sequence[int], Sequence[float]]], scale: Scale) -> None:
    """Returns over steps, one curve a run by its name, with those of the expert and of random actions."""
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    for name, (steps, returns) in curves.items():
        axes.plot(steps, returns, marker="o", markersize=2, linewidth=1, label=name)
    axes.axhline(scale.expert, linestyle="--", color="gray", label="expert")
    axes.axhline(scale.random, linestyle=":", color="gray", label="random actions")
    axes.set(title=title, xlabel="steps of the environment", ylabel="return")
    axes.legend(frameon=False, fontsize=8)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def draw_tasks(path: Path, names: Sequence[str], seed: int, threads: int | None) -> None:
    """An image of each task when its expert is done."""
    columns = min(5, len(names))
    lines = -(-len(names) // columns)
    figure, axes = plt.subplots(lines, columns, figsize=(2.6 * columns, 2.1 * lines), layout="constrained", squeeze=False)
    for axis in axes.flat:
        axis.axis("off")
    for name, axis in zip(names, axes.flat, strict=False):
        env = RopeVectorEnv(TASKS[name](), 1, threads=threads)
        outcome = play(env, ExpertPolicy(env), seed)
        axis.imshow(env.batch.world(0).render("iso", 480, 360, samples=2))
        axis.set_title(f"{name}, after {outcome.steps[0] / env.task.rate:.1f} s", fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=100)
    plt.close(figure)
