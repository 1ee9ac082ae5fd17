"""The compiled part of the package. Arrays are contiguous; call through :mod:`ropewalk` and :mod:`ropewalk.inspect`."""

import os
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ropewalk._distance import Separation
from ropewalk._pressure import PressurePatch
from ropewalk.inspect import ContactSolution, RobotDynamics, RobotPoint, RodEnergy, RodStep

__version__: str

def guess_cable(tracks: Mapping[str, object], title: str, line_density: float | None, marker_mass: float) -> str: ...
def change_cable(cable: str, key: str, value: str) -> str: ...
def fit_cable(
    tracks: Mapping[str, object],
    cable: str,
    arguments: Mapping[str, object],
    with_page: bool,
    progress: Callable[[str], object] | None,
) -> tuple[str, str, str | None]: ...
def evaluate_cable(tracks: Mapping[str, object], cable: str) -> str: ...
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

_Vector = tuple[float, float, float]

def knot_determinant(points: NDArray[np.float64], direction: _Vector | None = None) -> NDArray[np.float64]: ...
def linking(
    first: NDArray[np.float64], first_closed: bool, second: NDArray[np.float64], second_closed: bool
) -> NDArray[np.float64]: ...

_Camera = tuple[_Vector, _Vector, _Vector, float | None, float | None]

def camera_matrices(
    camera: _Camera, width: int, height: int
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64]]: ...
def write_gif(path: str | os.PathLike[str], images: Sequence[NDArray[np.uint8]], fps: float) -> None: ...

class Renderer:
    @staticmethod
    def of_scene(scene: Scene) -> Renderer: ...
    @staticmethod
    def of_recording(path: str | os.PathLike[str]) -> Renderer: ...
    def instances(self) -> list[tuple[str, str, str]]: ...
    def take_world(self, world: World) -> None: ...
    def take_batch(self, batch: Batch, index: int) -> None: ...
    def take_arrays(
        self,
        time: float,
        q: Sequence[NDArray[np.float64]],
        d1: Sequence[NDArray[np.float64]],
        poses: Sequence[NDArray[np.float64]],
    ) -> None: ...
    def camera(self, words: str, width: int, height: int) -> _Camera: ...
    def bounds(self) -> tuple[_Vector, float]: ...
    def image(
        self,
        camera: _Camera,
        width: int,
        height: int,
        samples: int,
        shadows: bool,
        contacts: bool,
        color_by: str | None,
        bounds: tuple[_Vector, float] | None,
    ) -> NDArray[np.uint8]: ...
    def depth(self, camera: _Camera, width: int, height: int) -> NDArray[np.float32]: ...
    def mask(self, camera: _Camera, width: int, height: int) -> NDArray[np.uint32]: ...
    def points(self, camera: _Camera, width: int, height: int) -> NDArray[np.float64]: ...

class SceneError(ValueError):
    """A scene cannot be made: the message shows the place, the key, what was expected and the nearest valid name."""

class RecordingError(ValueError):
    """A recording is damaged, or is none. The message names the file and the place in it."""

class StepError(RuntimeError):
    """A step failed; the world is as it was before it."""

    status: str
    """``"not_converged"``, ``"passes_through"``, ``"gains_energy"`` or ``"not_finite"``."""
    time: float
    """Time of the last good state in s."""
    world: int
    """Number of the world in a batch; 0 in a world of its own."""

class StepReport:
    """What one call of ``step`` has done: sums over its steps; ``contacts`` and ``constraints`` are those of the last."""

    @property
    def status(self) -> str:
        """``"converged"``, ``"not_converged"``, ``"passes_through"``, ``"gains_energy"`` or ``"not_finite"``."""
    @property
    def steps(self) -> int:
        """Steps taken."""
    @property
    def substeps(self) -> int:
        """Sub-steps taken: more than steps where a step was split."""
    @property
    def iterations(self) -> int:
        """Linearisations of the momentum balance."""
    @property
    def inner_iterations(self) -> int:
        """Newton iterations within the convex problems."""
    @property
    def blocked(self) -> int:
        """How often the guard against passing through has asked for a shorter step."""
    @property
    def contacts(self) -> int:
        """Contacts that push."""
    @property
    def constraints(self) -> int:
        """Constraints."""
    @property
    def residual(self) -> float:
        """Greatest momentum residual relative to the impulses at work."""
    @property
    def altered_tangents(self) -> int:
        """How often a tangent had to be altered to be positive definite."""
    @property
    def degenerate_substeps(self) -> int:
        """Sub-steps in which a rod had to pass through a fold or a collapsed edge."""
    @property
    def work(self) -> float:
        """Work of clamps, loads, drives, actuators and driven bodies in J."""
    @property
    def time(self) -> float:
        """Time now in s."""
    @property
    def timers(self) -> dict[str, float]:
        """Seconds spent in each stage of the step, by name."""

class State:
    """All that the next step of a world will find. ``bytes(state)`` is a NumPy archive of its arrays."""

    @staticmethod
    def from_bytes(bytes: bytes) -> State:
        """The state in the bytes of an archive."""
    @property
    def time(self) -> float:
        """Time in s."""
    def keys(self) -> list[str]:
        """Names of its arrays."""
    def __getitem__(self, name: str) -> NDArray[np.float64]: ...
    def __bytes__(self) -> bytes: ...
    def __eq__(self, other: object) -> bool: ...

class Scene:
    @staticmethod
    def load(name_or_path: str, overrides: Sequence[str], allow_large: bool) -> Scene: ...
    @staticmethod
    def parse(
        label: str,
        text: str,
        directory: str | os.PathLike[str] | None,
        overrides: Sequence[str],
        allow_large: bool,
    ) -> Scene: ...
    def check_world_count(self, count: float) -> None: ...
    def resolved(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def directory(self) -> os.PathLike[str] | None: ...
    @property
    def title(self) -> str: ...
    @property
    def duration(self) -> float: ...
    @property
    def dt(self) -> float: ...
    @property
    def gravity(self) -> list[float]: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def rods(self) -> list[tuple[str, bool]]: ...
    @property
    def bodies(self) -> list[tuple[str, int, int]]: ...
    @property
    def trees(self) -> list[tuple[str, list[tuple[str, int | None, str, int, int]]]]: ...
    @property
    def clamps(self) -> list[str]: ...
    @property
    def attachments(self) -> list[str]: ...
    @property
    def actuators(self) -> list[tuple[str, int, int, int]]: ...
    @property
    def end_effectors(self) -> list[str]: ...

class World:
    def __init__(self, scene: Scene) -> None: ...
    def step(self, count: int) -> StepReport: ...
    def reset(self) -> None: ...
    def equilibrate(self) -> tuple[bool, int, float]: ...
    def modes(self, rod: int, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def copy(self) -> World: ...
    @property
    def time(self) -> float: ...
    def record(
        self, path: str | os.PathLike[str], scene: Scene, rate: float, state_rate: float, foxglove_rate: float
    ) -> None: ...
    def stop_recording(self, status: str) -> None: ...
    def state(self) -> State: ...
    def set_state(self, state: State) -> None: ...
    def read(self, name: str, index: int) -> NDArray[np.float64]: ...
    def measure(
        self,
        scene: Scene,
        quantity: str,
        over: str,
        of: str | None,
        component: str | None,
        at: int | None,
        across: str | None,
        from_: float | None,
        until: float | None,
        place: tuple[
            str | None, Sequence[float] | None, Sequence[float] | None, Sequence[float] | None
        ],
    ) -> int: ...
    def measured(self, index: int) -> float | None: ...
    def contacts(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def patches(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def polygons(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def patch_corners(self) -> NDArray[np.float64]: ...
    def set_positions(self, rod: int, positions: NDArray[np.float64]) -> None: ...
    def set_velocities(self, rod: int, velocities: NDArray[np.float64]) -> None: ...
    def set_joints(self, tree: int, q: NDArray[np.float64], v: NDArray[np.float64]) -> None: ...
    def set_target(self, actuator: int, target: float | None, velocity: float) -> None: ...
    def end_effector_reached(self, end_effector: int) -> tuple[float, float, int, bool] | None: ...

class Batch:
    def __init__(self, scene: Scene, overrides: Sequence[Sequence[str]], threads: int) -> None: ...
    def rebuild(self, scene: Scene, overrides: Sequence[tuple[int, Sequence[str]]]) -> None: ...
    def reset(self, worlds: Sequence[int]) -> None: ...
    @property
    def threads(self) -> int: ...
    def step(self, count: int, check: bool, chosen: Sequence[int] | None = None) -> list[StepReport]: ...
    def contacts(self, world: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
    def end_effector_reached(self, end_effector: int) -> list[tuple[float, float, int, bool] | None]: ...
    def read(self, name: str, index: int) -> NDArray[np.float64]: ...
    def set_targets(
        self, actuator: int, targets: NDArray[np.float64], velocities: NDArray[np.float64]
    ) -> None: ...
    def world(self, index: int) -> World: ...
    def state(self, index: int) -> State: ...
    def set_state(self, index: int, state: State) -> None: ...

_Worlds = World | Batch
_Chosen = Sequence[int] | None
_Thing = tuple[str, int, int]
_End = tuple[str, int, int, _Vector | None]

def command_target(
    worlds: _Worlds,
    chosen: _Chosen,
    thing: _Thing,
    positions: NDArray[np.float64] | None,
    quats: NDArray[np.float64] | None,
    over: float | None,
    velocities: NDArray[np.float64] | None,
    angular: NDArray[np.float64] | None,
) -> None: ...
def command_velocity(
    worlds: _Worlds,
    chosen: _Chosen,
    thing: _Thing,
    linear: NDArray[np.float64],
    angular: NDArray[np.float64],
) -> None: ...
def command_motion(
    worlds: _Worlds,
    chosen: _Chosen,
    thing: _Thing,
    times: NDArray[np.float64],
    translations: NDArray[np.float64],
    angles: NDArray[np.float64],
    axes: NDArray[np.float64],
    interpolation: str,
) -> None: ...
def command_clear(worlds: _Worlds, chosen: _Chosen, thing: _Thing | None, over: float | None) -> None: ...
def command_pose(worlds: _Worlds, thing: _Thing) -> NDArray[np.float64]: ...
def command_clamp(worlds: _Worlds, chosen: _Chosen, clamp: int, hold: bool) -> None: ...
def command_gravity(worlds: _Worlds, chosen: _Chosen, gravity: NDArray[np.float64] | None) -> None: ...
def command_rod_load(
    worlds: _Worlds, chosen: _Chosen, rod: int, kind: str, place: int | None, loads: NDArray[np.float64]
) -> None: ...
def command_link_load(
    worlds: _Worlds,
    chosen: _Chosen,
    link: tuple[int, int],
    forces: NDArray[np.float64],
    torques: NDArray[np.float64],
    points: NDArray[np.float64] | None,
) -> None: ...
def command_natural(
    worlds: _Worlds,
    chosen: _Chosen,
    rod: int,
    shape: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None,
) -> None: ...
def command_read(worlds: _Worlds, what: str) -> NDArray[np.float64]: ...
def command_write(worlds: _Worlds, chosen: _Chosen, what: str, numbers: NDArray[np.float64]) -> None: ...
def command_names(worlds: _Worlds, what: str) -> list[str]: ...
def command_attach(
    worlds: _Worlds, chosen: _Chosen, name: str, kind: str, ends: tuple[_End, _End]
) -> None: ...
def command_attachment(worlds: _Worlds, chosen: _Chosen, attachment: int, command: str) -> None: ...
def attachment_names(worlds: _Worlds) -> list[str]: ...
def scene_mistake(
    text: str, directory: str | os.PathLike[str] | None, whole: bool
) -> tuple[str, str, str | None, str | None, str | None] | None: ...
def check_claims(scene: Scene) -> list[tuple[str, float, float, float, float, bool]]: ...
def scene_schema() -> str: ...
def run_command(arguments: list[str]) -> int: ...
def embedded_scenes() -> list[tuple[str, str, str]]: ...
def recording_page(path: str | os.PathLike[str]) -> str: ...
def export_recording(path: str | os.PathLike[str], to: str | os.PathLike[str], format: str) -> str: ...
def recording_info(path: str | os.PathLike[str]) -> str: ...

class ContactEnergyRope:
    """A round rope that a contact energy keeps apart, drawn at its ends: a baseline of :mod:`ropewalk.reproduce`."""

    def __init__(
        self,
        nodes: NDArray[np.float64],
        *,
        radius: float,
        youngs_modulus: float,
        shear_modulus: float,
        density: float,
        mass_damping: float,
        speed: float,
        dt: float,
        delta: float,
        stiffness: float,
        constant: bool,
        friction: float,
    ) -> None: ...
    def step(self) -> bool:
        """Takes a step; False if it fails."""
    @property
    def time(self) -> float:
        """Time in s."""
    @property
    def positions(self) -> NDArray[np.float64]:
        """Nodes in m, shape (n, 3)."""
    @property
    def pull(self) -> float:
        """Mean of the forces with which the ends are drawn apart, N."""
    @property
    def report(self) -> tuple[str, int, int, float, float, float, float] | None:
        """Of the last step: outcome, iterations, contacts, contact energy (J), elastic energy (J), stiffness (N), least distance (m)."""
