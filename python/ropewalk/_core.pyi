"""The compiled part of the package. Arrays are contiguous; call through :mod:`ropewalk.inspect`."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ropewalk._distance import Separation
from ropewalk._pressure import PressurePatch
from ropewalk.inspect import ContactSolution, RobotDynamics, RobotPoint, RodEnergy, RodStep

__version__: str

def rod_energy(
    x: NDArray[np.float64], gamma: NDArray[np.float64], rod: Mapping[str, object]
) -> RodEnergy: ...
def rod_step(
    q: NDArray[np.float64],
    v: NDArray[np.float64],
    rod: Mapping[str, object],
    step: Mapping[str, object],
) -> RodStep: ...
def contact_solve(
    a: NDArray[np.float64],
    j: NDArray[np.float64],
    v_star: NDArray[np.float64],
    contacts: Mapping[str, object],
) -> ContactSolution: ...
def robot_dynamics(
    urdf_text: str,
    q: NDArray[np.float64],
    v: NDArray[np.float64],
    tau: NDArray[np.float64],
    gravity: tuple[float, float, float],
    free_base: bool,
) -> RobotDynamics: ...
def robot_point(
    urdf_text: str,
    q: NDArray[np.float64],
    v: NDArray[np.float64],
    body: str,
    offset: tuple[float, float, float],
    free_base: bool,
) -> RobotPoint: ...
def distance(
    shape_a: Mapping[str, object],
    pose_a: Mapping[str, object],
    shape_b: Mapping[str, object],
    pose_b: Mapping[str, object],
) -> Separation: ...
def pressure_patch(
    mesh_a: Mapping[str, object],
    pose_a: Mapping[str, object],
    mesh_b: Mapping[str, object],
    pose_b: Mapping[str, object],
    fade: bool,
) -> PressurePatch: ...
