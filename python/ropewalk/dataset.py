"""Episodes as a data set in the layout of LeRobot v3.0: Parquet files by pyarrow, films by av."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ropewalk.rendering import write_film

if TYPE_CHECKING:
    from ropewalk.gym.policies import Policy
    from ropewalk.gym.vector_env import RopeVectorEnv

__all__ = ["record_dataset"]

FILE = "chunk-{chunk_index:03d}/file-{file_index:03d}"
CHUNK = 1000
"""Files of a chunk, at most."""
VIDEO = "observation.images.camera"
EXTENT = (240, 320)
"""Height and width of films in px."""


def record_dataset(
    env: "RopeVectorEnv",
    policy: "Policy",
    episodes: int,
    out: str | os.PathLike[str],
    *,
    seed: int = 0,
    words: str | None = None,
    video: bool = False,
) -> dict[str, Any]:
    """Plays episodes and writes them as a data set in the layout of LeRobot v3.0. What its ``meta/info.json`` says.

    Each frame has ``observation.state`` (all numbers of the observation in one row), ``action``, ``next.reward``, ``next.done``,
    ``next.success``, and the indices and the time that the layout asks for. Episode k is that of environment k of a reset with
    ``seed``, whatever the number of environments.

    Args:
        env: environments with observations of kind ``"dict"``.
        policy: what acts.
        episodes: number of episodes.
        out: a folder, new or empty.
        seed: of the episodes.
        words: what is done, in words, the task of the data set; the task's description by default.
        video: whether a film of each episode is written (needs av), 320 x 240 px.
    """
    folder = Path(out)
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"the folder {os.fspath(folder)!r} is not empty: give a new one for the data set")
    if env.observations.kind != "dict":
        raise ValueError("a data set needs observations by name: make the environments with observation='dict'")
    if episodes < 1:
        raise ValueError(f"episodes is {episodes}, expected at least one")
    words = words or " ".join((type(env.task).__doc__ or env.task.name).split()).split(". ")[0]
    writer = _Writer(folder, env, words, video)
    first = 0
    while first < episodes:
        for episode in _play_some(env, policy, seed, first, min(env.num_envs, episodes - first), video):
            writer.add(episode)
        first += env.num_envs
    return writer.close()


def _play_some(
    env: "RopeVectorEnv", policy: "Policy", seed: int, first: int, count: int, video: bool
) -> list[dict[str, list[Any]]]:
    """Episodes ``first`` and on, one in each of the first ``count`` environments: what their frames have, by key."""
    seen, _ = env.reset_as(seed, first)
    policy.begin(np.ones(env.num_envs, dtype=bool))
    going = np.arange(env.num_envs) < count
    frames: list[dict[str, list[Any]]] = [
        {key: [] for key in ("observation.state", "action", "next.reward", "next.done", "next.success", VIDEO)}
        for _ in range(count)
    ]
    while going.any():
        actions = np.asarray(policy(seen), dtype=np.float32)
        state = _state(seen)
        images = env.batch.render(width=EXTENT[1], height=EXTENT[0], mask=going) if video else None
        seen, reward, terminated, truncated, info = env.step_some(actions, going)
        done = terminated | truncated
        for row, i in enumerate(np.flatnonzero(going)):
            own = frames[i]
            own["observation.state"].append(state[i])
            own["action"].append(actions[i])
            own["next.reward"].append(np.float32(reward[i]))
            own["next.done"].append(bool(done[i]))
            own["next.success"].append(bool(info["is_success"][i]))
            if images is not None:
                own[VIDEO].append(images[row])
        going &= ~done
    return frames


def _state(seen: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
    parts = [part.reshape(len(part), -1) for key, part in seen.items() if key not in ("rgb", "depth", "mask")]
    return np.concatenate(parts, axis=1).astype(np.float32)


def _state_names(env: "RopeVectorEnv") -> list[str]:
    shapes = env.observations.shapes
    return [f"{key}.{i}" for key, shape in shapes.items() for i in range(int(np.prod(shape)))]


class _Writer:
    """Writes a data set, one episode a file."""

    def __init__(self, folder: Path, env: "RopeVectorEnv", words: str, video: bool) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError as error:
            raise ImportError(
                "data sets need the package pyarrow, which is not installed\nhint: pip install 'ropewalk[data]'"
            ) from error
        self._arrow, self._parquet = pyarrow, pyarrow.parquet
        self._folder, self._words, self._video, self._rate = folder, words, video, env.task.rate
        self._names = {"observation.state": _state_names(env), "action": list(env.actions.names)}
        self._rows: list[dict[str, Any]] = []
        self._frames = 0
        self._stats: dict[str, list[NDArray[np.float64]]] = {}

    def features(self) -> dict[str, Any]:
        """The features as ``info.json`` has them."""
        features: dict[str, Any] = {
            key: {"dtype": "float32", "shape": [len(names)], "names": names} for key, names in self._names.items()
        }
        for key, dtype in (
            ("next.reward", "float32"),
            ("next.done", "bool"),
            ("next.success", "bool"),
            ("timestamp", "float32"),
            ("frame_index", "int64"),
            ("episode_index", "int64"),
            ("index", "int64"),
            ("task_index", "int64"),
        ):
            features[key] = {"dtype": dtype, "shape": [1], "names": None}
        if self._video:
            about = {"video.fps": self._rate, "video.codec": "h264", "video.pix_fmt": "yuv420p"}
            more = {"video.height": EXTENT[0], "video.width": EXTENT[1], "video.channels": 3}
            features[VIDEO] = {
                "dtype": "video",
                "shape": [*EXTENT, 3],
                "names": ["height", "width", "channels"],
                "info": {**about, **more, "video.is_depth_map": False, "has_audio": False},
            }
        return features

    def add(self, episode: dict[str, list[Any]]) -> None:
        """Writes an episode."""
        number, count = len(self._rows), len(episode["action"])
        frames = np.arange(count)
        columns: dict[str, Any] = {key: np.stack(episode[key]) for key in ("observation.state", "action")}
        columns |= {key: np.asarray(episode[key]) for key in ("next.reward", "next.done", "next.success")}
        columns |= {
            "timestamp": (frames / self._rate).astype(np.float32),
            "frame_index": frames,
            "episode_index": np.full(count, number),
            "index": self._frames + frames,
            "task_index": np.zeros(count, dtype=np.int64),
        }
        place = {"chunk_index": number // CHUNK, "file_index": number % CHUNK}
        self._write(f"data/{FILE.format(**place)}.parquet", self._table(columns))
        row = {
            "episode_index": number,
            "tasks": [self._words],
            "length": count,
            "data/chunk_index": place["chunk_index"],
            "data/file_index": place["file_index"],
            "dataset_from_index": self._frames,
            "dataset_to_index": self._frames + count,
            "meta/episodes/chunk_index": 0,
            "meta/episodes/file_index": 0,
        }
        if self._video:
            path = self._folder / f"videos/{VIDEO}/{FILE.format(**place)}.mp4"
            path.parent.mkdir(parents=True, exist_ok=True)
            write_film(path, episode[VIDEO], fps=self._rate)
            row |= {f"videos/{VIDEO}/{key}": value for key, value in place.items()}
            row |= {f"videos/{VIDEO}/from_timestamp": 0.0, f"videos/{VIDEO}/to_timestamp": count / self._rate}
        for key, values in columns.items():
            numbers = np.asarray(values, dtype=np.float64).reshape(count, -1)
            found = {name: getattr(numbers, name)(axis=0) for name in ("min", "max", "mean", "std")}
            row |= {f"stats/{key}/{name}": value.tolist() for name, value in found.items()}
            row[f"stats/{key}/count"] = [count]
            self._gather(key, numbers)
        self._rows.append(row)
        self._frames += count

    def close(self) -> dict[str, Any]:
        """Writes what is about the whole."""
        arrow = self._arrow
        keys = list(self._rows[0])
        self._write("meta/episodes/chunk-000/file-000.parquet", arrow.table({k: [row[k] for row in self._rows] for k in keys}))
        tasks = arrow.table({"task_index": arrow.array([0], arrow.int64()), "__index_level_0__": [self._words]})
        # The words are the index of the table, as pandas reads it.
        index = {"name": None, "field_name": "__index_level_0__", "pandas_type": "unicode", "numpy_type": "object"}
        column = {"name": "task_index", "field_name": "task_index", "pandas_type": "int64", "numpy_type": "int64"}
        pandas = {
            "index_columns": ["__index_level_0__"],
            "column_indexes": [],
            "columns": [{**column, "metadata": None}, {**index, "metadata": None}],
            "creator": {"library": "pyarrow", "version": arrow.__version__},
            "pandas_version": "2.0.0",
        }
        self._write("meta/tasks.parquet", tasks.replace_schema_metadata({"pandas": json.dumps(pandas)}))
        info = {
            "codebase_version": "v3.0",
            "robot_type": "ropewalk",
            "total_episodes": len(self._rows),
            "total_frames": self._frames,
            "total_tasks": 1,
            "chunks_size": CHUNK,
            "data_files_size_in_mb": 100,
            "video_files_size_in_mb": 200,
            "fps": int(self._rate),
            "splits": {"train": f"0:{len(self._rows)}"},
            "data_path": f"data/{FILE}.parquet",
            "video_path": f"videos/{{video_key}}/{FILE}.mp4" if self._video else None,
            "features": self.features(),
        }
        (self._folder / "meta/info.json").write_text(json.dumps(info, indent=4))
        (self._folder / "meta/stats.json").write_text(json.dumps(self._whole_stats(), indent=4))
        return info

    def _gather(self, key: str, numbers: NDArray[np.float64]) -> None:
        """Sums from which the statistics of all frames follow, without keeping them."""
        new = [numbers.min(axis=0), numbers.max(axis=0), numbers.sum(axis=0), (numbers**2).sum(axis=0)]
        old = self._stats.get(key)
        if old is not None:
            new = [np.minimum(old[0], new[0]), np.maximum(old[1], new[1]), old[2] + new[2], old[3] + new[3]]
        self._stats[key] = new

    def _whole_stats(self) -> dict[str, Any]:
        out = {}
        for key, (least, greatest, total, squares) in self._stats.items():
            mean = total / self._frames
            spread = np.sqrt(np.maximum(squares / self._frames - mean**2, 0.0))
            found = {"min": least, "max": greatest, "mean": mean, "std": spread}
            out[key] = {name: value.tolist() for name, value in found.items()} | {"count": [self._frames]}
        return out

    def _table(self, columns: dict[str, Any]) -> Any:
        arrow = self._arrow
        arrays = {}
        for key, values in columns.items():
            if values.ndim == 1:
                arrays[key] = arrow.array(values)
                continue
            flat = arrow.array(values.astype(np.float32).ravel())
            arrays[key] = arrow.FixedSizeListArray.from_arrays(flat, values.shape[1])
        return arrow.table(arrays)

    def _write(self, name: str, table: Any) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self._parquet.write_table(table, path)
