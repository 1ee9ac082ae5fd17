"""The baseline learns: a shortened form of ``python -m ropewalk.gym learn``."""

from dataclasses import replace

import numpy as np

import ropewalk.gym as rg
from ropewalk.gym.cma import Cma
from ropewalk.gym.learn import SETTINGS, learn


def test_returns_rise() -> None:
    settings = replace(SETTINGS["Calm"], population=16, episodes=1, iterations=5)
    _, curve = learn(rg.TASKS["Calm"](), settings, seed=0)
    assert len(curve.steps) == 5 and np.diff(curve.steps).min() > 0
    assert curve.best[-1] > curve.best[0] + 0.05


def test_the_search_finds_the_top_of_a_hill() -> None:
    top, scale = np.array([1.0, -2.0, 0.5, 3.0]), np.array([1.0, 10.0, 0.1, 3.0])
    search = Cma(np.zeros(4), np.full(4, 0.5), 12, 0)
    for _ in range(120):
        search.tell(-np.sum((scale * (search.ask() - top)) ** 2, axis=1))
    assert np.allclose(search.mean, top, atol=1e-4)


def test_learning_is_reproducible() -> None:
    settings = replace(SETTINGS["Calm"], population=4, episodes=1, iterations=1)
    first, second = (learn(rg.TASKS["Calm"](), settings, seed=3, threads=t)[0].weights for t in (1, 2))
    assert np.array_equal(first, second)
