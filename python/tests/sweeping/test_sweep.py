"""Sweeps: shards depend on their blocks alone, and are found again."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ropewalk
from ropewalk import Batch, World
from ropewalk.parameters import Uniform

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed: sweeps are not tested")

VALUES: dict[str, Any] = {"material.rubber.youngs_modulus": [3e6, 1e7, 3e7], "rod.beam.mass_damping": Uniform(1.0, 20.0)}
GIVEN: dict[str, Any] = {"overrides": {"rod.beam.segments": 10}, "samples": 2, "duration": 0.02, "block_size": 2}


def tip(batch: Batch) -> dict[str, Any]:
    return {"tip": batch.rods["beam"].positions[:, -1], "time": batch.time}


def hashes(result: ropewalk.Sweep) -> list[str]:
    return [hashlib.sha256(shard.read_bytes()).hexdigest() for shard in result.shards]


def test_values_and_results(tmp_path: Path) -> None:
    result = ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "a", **GIVEN)
    found = result.arrays()
    assert len(result.shards) == 3 and list(found["task"]) == list(range(6)) and set(found["status"]) == {"converged"}
    assert list(found["material.rubber.youngs_modulus"]) == [3e6, 3e6, 1e7, 1e7, 3e7, 3e7]
    assert len(set(found["rod.beam.mass_damping"])) == 6
    overrides = {path: found[path][3].item() for path in VALUES} | {"rod.beam.segments": 10}
    world = World("cantilever", overrides)
    world.run(0.02)
    assert np.array_equal(found["tip"][3], world.rods["beam"].positions[-1])


def test_a_sweep_goes_on_and_mends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "a", threads=1, **GIVEN)
    part = ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "b", threads=2, **GIVEN)
    assert hashes(part) == hashes(whole)
    part.shards[0].unlink()
    part.shards[2].write_bytes(part.shards[2].read_bytes()[:100])
    again = ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "b", **GIVEN)
    assert again.computed == [0, 2] and again.damaged == [2] and hashes(again) == hashes(whole)
    assert "damaged" in capsys.readouterr().out


def test_one_wrong_byte_is_damage(tmp_path: Path) -> None:
    whole = ropewalk.sweep("cantilever", VALUES, tip, tmp_path, **GIVEN)
    good = whole.shards[1].read_bytes()
    column = parquet.read_metadata(whole.shards[1]).row_group(0).column(1)
    data = bytearray(good)
    # The last byte of a column's values: the file can be read all the same.
    data[column.dictionary_page_offset + column.total_compressed_size - 1] ^= 1
    whole.shards[1].write_bytes(data)
    assert parquet.read_table(whole.shards[1])["task"].to_pylist() == [2, 3]
    again = ropewalk.sweep("cantilever", VALUES, tip, tmp_path, **GIVEN)
    assert again.damaged == [1] and whole.shards[1].read_bytes() == good


def test_folders_of_other_sweeps_are_refused(tmp_path: Path) -> None:
    ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "a", **GIVEN)
    with pytest.raises(ValueError, match="another sweep: scene"):
        ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "a", **(GIVEN | {"overrides": {"rod.beam.segments": 11}}))
    with pytest.raises(ValueError, match="another sweep: values"):
        ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "a", seed=1, **GIVEN)
    with pytest.raises(ValueError, match="expected 'local' or 'ray'"):
        ropewalk.sweep("cantilever", VALUES, tip, tmp_path / "b", engine="spark", **GIVEN)  # type: ignore[arg-type]


def test_states_are_kept_and_given(tmp_path: Path) -> None:
    values = {"rod.beam.mass_damping": [5.0, 10.0]}
    given: dict[str, Any] = {"overrides": {"rod.beam.segments": 10}, "duration": 0.02, "keep_states": True}
    first = ropewalk.sweep("cantilever", values, tip, tmp_path / "a", **given)
    state = ropewalk.State.from_bytes(first.table()["state"][0].as_py())
    assert state.time == pytest.approx(0.02)
    second = ropewalk.sweep("cantilever", values, tip, tmp_path / "b", start=state, **given)
    assert second.arrays()["time"] == pytest.approx(0.04)
    for other in (None, ropewalk.State.from_bytes(second.table()["state"][0].as_py())):
        with pytest.raises(ValueError, match="another sweep: start"):
            ropewalk.sweep("cantilever", values, tip, tmp_path / "b", start=other, **given)
