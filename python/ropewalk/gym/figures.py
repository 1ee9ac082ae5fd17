"""Figures: curves of learning, and the tasks as their experts leave them."""

import json
from collections.abc import Sequence
from pathlib import Path

import matplotlib

from ropewalk.gym.evaluate import Scale
from ropewalk.gym.policies import ExpertPolicy, play
from ropewalk.gym.tasks import TASKS
from ropewalk.gym.vector_env import RopeVectorEnv

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402

__all__ = ["draw_curves", "draw_tasks"]


def draw_curves(
    folder: Path, stem: str, title: str, seed: int, curve: tuple[Sequence[int], Sequence[float]], scale: Scale
) -> None:
    """Returns over steps, with those of the expert and of random actions: of this seed, and of all whose curves are in the folder, where
    each call leaves its own as ``STEM_seed_K.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}_seed_{seed}.json").write_text(json.dumps({"seed": seed, "steps": curve[0], "returns": curve[1]}))
    curves = [json.loads(path.read_text()) for path in folder.glob(f"{stem}_seed_*.json")]
    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    for own in sorted(curves, key=lambda own: int(own["seed"])):
        axes.plot(own["steps"], own["returns"], marker="o", markersize=2, linewidth=1, label=f"seed {own['seed']}")
    axes.axhline(scale.expert, linestyle="--", color="gray", label="expert")
    axes.axhline(scale.random, linestyle=":", color="gray", label="random actions")
    axes.set(title=title, xlabel="steps of the environment", ylabel="return")
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(folder / f"{stem}.png", dpi=100)
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
