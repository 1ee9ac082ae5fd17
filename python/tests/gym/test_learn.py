"""The baseline learns: a shortened form of ``python -m ropewalk.gym learn``."""

from dataclasses import replace

import numpy as np

import ropewalk.gym as rg
from ropewalk.gym.learn import SETTINGS, cross_entropy


def test_returns_rise() -> None:
    settings = replace(SETTINGS["Calm"], population=12, elite=4, episodes=1, iterations=5)
    _, curve = cross_entropy(rg.TASKS["Calm"](), settings, seed=0)
    assert len(curve.steps) == 5 and np.diff(curve.steps).min() > 0
    assert curve.mean[-1] > curve.mean[0] + 0.1


def test_learning_is_reproducible() -> None:
    settings = replace(SETTINGS["Calm"], population=4, elite=2, episodes=1, iterations=1)
    first, second = (cross_entropy(rg.TASKS["Calm"](), settings, seed=3, threads=t)[0].weights for t in (1, 2))
    assert np.array_equal(first, second)
