"""Data sets: keys and types of the layout of LeRobot v3.0, and what is in them."""

import json
from pathlib import Path

import numpy as np
import pytest

import ropewalk
import ropewalk.gym as rg

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: data sets are not tested")

FRAME = {
    "observation.state": "fixed_size_list<element: float>",
    "action": "fixed_size_list<element: float>",
    "next.reward": "float",
    "next.done": "bool",
    "next.success": "bool",
    "timestamp": "float",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}


def test_layout(tmp_path: Path) -> None:
    env = rg.make_vector_env("Straighten", 2)
    info = ropewalk.record_dataset(env, rg.ExpertPolicy(env), 3, tmp_path / "set", seed=4)
    folder = tmp_path / "set"
    assert info == json.loads((folder / "meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0" and info["total_episodes"] == 3 and info["fps"] == 25
    assert info["splits"] == {"train": "0:3"} and set(info["features"]) == set(FRAME)
    stats = json.loads((folder / "meta/stats.json").read_text())
    assert set(stats) == set(FRAME) and set(stats["action"]) == {"min", "max", "mean", "std", "count"}
    tasks = parquet.read_table(folder / "meta/tasks.parquet")
    assert tasks.column_names == ["task_index", "__index_level_0__"] and b"pandas" in tasks.schema.metadata
    episodes = parquet.read_table(folder / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    frames = 0
    for k, row in enumerate(episodes):
        assert row["episode_index"] == k and row["dataset_from_index"] == frames and len(row["tasks"]) == 1
        place = {"chunk_index": row["data/chunk_index"], "file_index": row["data/file_index"]}
        table = parquet.read_table(folder / info["data_path"].format(**place))
        kinds = {field.name: str(field.type).split("[")[0] for field in table.schema}
        assert kinds == FRAME
        data = table.to_pydict()
        assert len(data["index"]) == row["length"] and data["index"][0] == frames
        assert data["frame_index"] == list(range(row["length"]))
        assert np.allclose(data["timestamp"], np.arange(row["length"]) / 25.0)
        assert data["next.success"][-1] and data["next.done"][-1] and not any(data["next.done"][:-1])
        assert len(data["observation.state"][0]) == info["features"]["observation.state"]["shape"][0]
        assert len(info["features"]["action"]["names"]) == len(data["action"][0]) == 6
        frames += row["length"]
    assert info["total_frames"] == frames


def test_episodes_do_not_depend_on_the_number_of_environments(tmp_path: Path) -> None:
    for count in (1, 2):
        env = rg.make_vector_env("Straighten", count)
        ropewalk.record_dataset(env, rg.ExpertPolicy(env), 2, tmp_path / str(count))
    name = "data/chunk-000/file-001.parquet"
    assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_folders_with_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("x")
    env = rg.make_vector_env("Straighten", 1)
    with pytest.raises(ValueError, match="not empty"):
        ropewalk.record_dataset(env, rg.ExpertPolicy(env), 1, tmp_path)
