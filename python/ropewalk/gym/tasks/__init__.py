"""The tasks."""

from ropewalk.gym.task import Task
from ropewalk.gym.tasks.calm import Calm
from ropewalk.gym.tasks.fling import Fling
from ropewalk.gym.tasks.hang import Hang
from ropewalk.gym.tasks.insert import Insert
from ropewalk.gym.tasks.lace import Lace
from ropewalk.gym.tasks.route import Route
from ropewalk.gym.tasks.shape import Shape
from ropewalk.gym.tasks.straighten import Straighten
from ropewalk.gym.tasks.tie import Tie
from ropewalk.gym.tasks.untie import Untie

TASKS: dict[str, type[Task]] = {
    task.name: task for task in (Straighten, Shape, Route, Insert, Tie, Untie, Fling, Calm, Lace, Hang)
}
"""Tasks by name."""

__all__ = ["TASKS", "Calm", "Fling", "Hang", "Insert", "Lace", "Route", "Shape", "Straighten", "Tie", "Untie"]
