"""Records episodes of the experts of Route and Tie as data sets in the layout of LeRobot v3.0.

Run it with a folder: ``python examples/expert_datasets.py out/datasets --episodes 8``. Without one the data sets go to a
temporary folder. ``tools/check-lerobot`` loads such data sets with lerobot.
"""

import argparse
import tempfile
from pathlib import Path

import ropewalk
import ropewalk.gym as rg


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, nargs="?", help="a new folder")
    parser.add_argument("--episodes", type=int, default=1)
    parser.add_argument("--video", action="store_true", help="write films, too (needs av)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        record(given, given.out or Path(temporary))


def record(given: argparse.Namespace, out: Path) -> None:
    for name in ("Route", "Tie"):
        env = rg.make_vector_env(name, min(8, given.episodes))
        folder = out / name.lower()
        info = ropewalk.record_dataset(env, rg.ExpertPolicy(env), given.episodes, folder, video=given.video)
        print(f"{folder}: {info['total_episodes']} episodes, {info['total_frames']} frames")
        assert info["total_episodes"] == given.episodes and info["total_frames"] > given.episodes


if __name__ == "__main__":
    main()
