"""Sweeps on Ray: the same shards as on one machine, also when a node is lost half-way."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ropewalk
from ropewalk import Batch

ray = pytest.importorskip("ray", reason="Ray is not installed: sweeps on it are not tested")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: sweeps are not tested")

GIVEN: dict[str, Any] = {
    "parameters": {"rod.beam.mass_damping": [1.0 + 0.5 * k for k in range(16)]},
    "overrides": {"rod.beam.segments": 10},
    "duration": 0.02,
    "block_size": 2,
}


def slow_tip(batch: Batch) -> dict[str, Any]:
    time.sleep(0.4)
    return {"tip": batch.rods["beam"].positions[:, -1]}


def read(result: ropewalk.Sweep) -> list[bytes]:
    return [shard.read_bytes() for shard in result.shards]


@pytest.fixture
def cluster() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.second = made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def test_one_worker_two_workers_and_a_lost_node(tmp_path: Path, cluster: Any) -> None:
    local = ropewalk.sweep("cantilever", observe=slow_tip, out=tmp_path / "local", **GIVEN)
    two = ropewalk.sweep("cantilever", observe=slow_tip, out=tmp_path / "two", engine="ray", **GIVEN)
    assert read(two) == read(local)

    def lose() -> None:
        while len(list((tmp_path / "lost").glob("*.parquet"))) < 2:
            time.sleep(0.05)
        cluster.remove_node(cluster.second, allow_graceful=False)

    thief = threading.Thread(target=lose)
    thief.start()
    lost = ropewalk.sweep("cantilever", observe=slow_tip, out=tmp_path / "lost", engine="ray", **GIVEN)
    thief.join()
    assert lost.lost_workers >= 1 and read(lost) == read(local)
    one = ropewalk.sweep("cantilever", observe=slow_tip, out=tmp_path / "one", engine="ray", workers=1, **GIVEN)
    assert read(one) == read(local)
    with pytest.raises(TimeoutError, match="64 CPU each are asked for, the cluster has [12] CPU"):
        ropewalk.sweep(
            "cantilever", observe=slow_tip, out=tmp_path / "none", engine="ray", threads=64, workers=1, timeout=3.0, **GIVEN
        )
