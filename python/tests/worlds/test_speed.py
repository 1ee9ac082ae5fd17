"""The cost of Python, with room for busy machines; ``speed.py`` prints the numbers themselves."""

import os

import pytest
from speed import overhead, processor_seconds, throughput


def test_a_call_costs_little() -> None:
    # 1.2 µs were measured; 5 µs are allowed.
    assert overhead() < 5e-6


def test_a_second_thread_costs_no_work() -> None:
    # In turns, and again where something else has slowed down one of them: work that is done twice shows every time.
    alone, shared = [], []
    for _ in range(10):
        alone.append(processor_seconds("capstan", 1))
        shared.append(processor_seconds("capstan", 2))
        if min(shared) < 1.3 * min(alone):
            return
    assert min(shared) < 1.3 * min(alone)


def test_two_threads_are_nearly_twice_as_fast() -> None:
    if (os.cpu_count() or 1) < 2 or os.getloadavg()[0] > 0.7:
        pytest.skip("needs two idle cores")
    one, two = throughput("capstan")
    assert two / one > 1.6
