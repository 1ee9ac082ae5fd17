"""Sweeps over the values of a scene: on this machine, or on many."""

from ropewalk.sweeping.blocks import Block, Plan
from ropewalk.sweeping.run import Sweep, sweep

__all__ = ["Block", "Plan", "Sweep", "sweep"]
