"""Many environments of one task side by side, on the threads of one batch."""

import secrets
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ropewalk._arrays import FloatArray
from ropewalk._core import StepError
from ropewalk.batch import Batch
from ropewalk.gym.holders import Actions
from ropewalk.gym.observations import Observations, View
from ropewalk.gym.snapshot import Snapshot
from ropewalk.gym.task import Episode, Task

__all__ = ["RopeVectorEnv"]

Bool = NDArray[np.bool_]


class RopeVectorEnv(VectorEnv[Any, Any, Any]):
    """N environments of a task: worlds of one :class:`~ropewalk.Batch`, without processes.

    Episode e of environment i follows from (seed, ``first_index`` + i, e) alone: the same on any number of threads and machines.
    With a list of seeds, environment i is that of a single environment with its seed.

    An environment whose step fails ends its episode (truncated, ``info["step_failed"]``), is counted in :attr:`failures`, and shows
    the last good state.

    Args:
        task: the task.
        num_envs: number of environments N.
        observation: ``"dict"`` or ``"flat"``.
        nodes: places on the cable that are observed.
        view: images in observations.
        autoreset_mode: what happens after the end of an episode: reset by the next step, within the same step, or by hand with
            ``reset(options={"reset_mask": mask})``.
        randomize: whether values of the scene are drawn; else every episode has those of its first draw with seed 0.
        threads: threads of the batch; one for each core by default.
        first_index: number of the first environment.
        render_mode: ``"rgb_array"``: :meth:`render` gives an image of each environment.
        max_episode_steps: length of an episode, in place of the task's.
    """

    def __init__(
        self,
        task: Task,
        num_envs: int = 1,
        *,
        observation: Literal["dict", "flat"] = "dict",
        nodes: int | None = None,
        view: View | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        randomize: bool = True,
        threads: int | None = None,
        first_index: int = 0,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode is {render_mode!r}, expected None or 'rgb_array'")
        self.task, self.num_envs, self.render_mode = task, num_envs, render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": ["rgb_array"], "render_fps": task.rate, "autoreset_mode": self.autoreset_mode}
        self.actions = Actions(task.holders(), 1.0 / task.rate, task.rod)
        self.observations = Observations(task, observation, nodes, view)
        self.single_action_space = spaces.Box(-1.0, 1.0, (len(self.actions.names),), np.float32)
        self.single_observation_space = self.observations.space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.step_limit = task.step_limit if max_episode_steps is None else max_episode_steps
        self.failures = 0
        self._randomize, self._first_index = randomize, first_index
        self.batch = Batch(task.scene(), num_envs, threads=threads)
        self._steps_per_action = round(1.0 / (task.rate * self.batch.dt))
        if abs(self._steps_per_action * task.rate * self.batch.dt - 1.0) > 1e-9:
            raise ValueError(f"{task.name}: time.dt {self.batch.dt} s does not divide 1/{task.rate} s")
        self._seeds = [(secrets.randbits(32), first_index + i) for i in range(num_envs)]
        self._episodes = np.full(num_envs, -1)
        self._goals = np.zeros((num_envs, task.goal_size))
        self._scores, self._returns = np.zeros(num_envs), np.zeros(num_envs)
        self._elapsed, self._held = np.zeros(num_envs, dtype=np.int64), np.zeros(num_envs, dtype=np.int64)
        self._ended = np.zeros(num_envs, dtype=bool)
        self._seen = self.observations.empty(num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins episodes: of all environments, or of those in ``options["reset_mask"]``, shape (N,) of bool."""
        mask = self._mask(options)
        self._seed(seed, mask)
        self._begin(mask)
        info = self._infos(np.zeros(self.num_envs, dtype=bool), np.zeros(self.num_envs, dtype=bool))
        return self.observations.copy(self._seen), info

    def reset_as(self, seed: int, first_index: int) -> tuple[Any, dict[str, Any]]:
        """Begins episodes as environments ``first_index`` and on with this seed would."""
        self._first_index = first_index
        return self.reset(seed=seed)

    def step(self, actions: Any) -> tuple[Any, FloatArray, Bool, Bool, dict[str, Any]]:
        """Takes one step of 1/rate s; actions of shape (N, a) within -1 and 1.

        Raises:
            ValueError: an action has another shape or is not finite; the message names environment and component.
        """
        waiting = self._ended.copy()
        if self.autoreset_mode is AutoresetMode.DISABLED and waiting.any():
            raise RuntimeError(
                f"environment {int(np.flatnonzero(waiting)[0])} has ended: reset it with "
                "reset(options={'reset_mask': mask}), or make the environments with another autoreset_mode"
            )
        seen, reward, terminated, truncated, info = self.step_some(actions, ~waiting)
        if waiting.any():
            self._begin(waiting)
            seen = self.observations.copy(self._seen)
        elif self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            self._note_final(info)
            self._begin(self._ended.copy())
            seen = self.observations.copy(self._seen)
        return seen, reward, terminated, truncated, info

    def step_some(self, actions: Any, mask: Bool) -> tuple[Any, FloatArray, Bool, Bool, dict[str, Any]]:
        """Takes one step with the environments of the mask, shape (N,), and resets none. The others stay as they are: their rewards
        are 0, and they have not ended."""
        given = self.actions.check(actions, self.num_envs)
        if (self._episodes < 0).any():
            raise RuntimeError("the environments have not begun: call reset() before step()")
        reward, success, lost, failed = np.zeros(self.num_envs), *np.zeros((3, self.num_envs), dtype=bool)
        if mask.any():
            reward, success, lost, failed = self._advance(given, mask)
        terminated = success | lost
        truncated = mask & ~terminated & ((self._elapsed >= self.step_limit) | failed)
        self._ended = (self._ended & ~mask) | terminated | truncated
        return self.observations.copy(self._seen), reward, terminated, truncated, self._infos(success, failed)

    def render(self) -> tuple[NDArray[np.uint8], ...]:
        """An image of each environment, uint8, shape (480, 640, 3)."""
        if self.render_mode is None:
            raise RuntimeError("these environments show nothing: make them with render_mode='rgb_array'")
        return tuple(self.batch.render())

    def now(self, before: FloatArray | None = None) -> Snapshot:
        """All worlds as they are now; ``before``: nodes of the cable one step earlier."""
        return Snapshot(self.batch, self.actions, self.task.rod, self._goals, before)

    def _mask(self, options: dict[str, Any] | None) -> Bool:
        given = (options or {}).get("reset_mask")
        if given is None:
            return np.ones(self.num_envs, dtype=bool)
        mask = np.asarray(given)
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            raise ValueError(
                f"reset_mask has the shape {mask.shape} of {mask.dtype}, expected ({self.num_envs},) of bool, at least one True"
            )
        return mask

    def _seed(self, seed: int | Sequence[int | None] | None, mask: Bool) -> None:
        if seed is None:
            return
        if isinstance(seed, (int, np.integer)):
            if seed < 0:
                raise ValueError(f"seed is {seed}, expected a whole number, 0 or more")
            pairs = [(int(seed), self._first_index + i) for i in range(self.num_envs)]
        else:
            if len(seed) != self.num_envs:
                raise ValueError(f"there are {len(seed)} seeds, expected {self.num_envs}")
            pairs = [self._seeds[i] if s is None else (int(s), 0) for i, s in enumerate(seed)]
        for i in map(int, np.flatnonzero(mask)):
            if not isinstance(seed, (int, np.integer)) and seed[i] is None:
                continue
            self._seeds[i], self._episodes[i] = pairs[i], -1

    def _begin(self, mask: Bool) -> None:
        left = mask.copy()
        while left.any():
            worlds = np.flatnonzero(left)
            drawn = [self._draw(int(i)) for i in worlds]
            self.batch.reset(left, values=[episode.values for episode in drawn])
            now = self.now()
            for i, episode in zip(worlds, drawn, strict=True):
                try:
                    self._goals[i] = self.task.complete(episode, now, int(i))
                    left[i] = False
                except StepError:
                    # The goal cannot be computed: the next episode takes the place of this one.
                    self.failures += 1
        now = self.now()
        self._scores[mask] = self.task.score(now)[mask]
        self._elapsed[mask] = self._held[mask] = 0
        self._returns[mask] = 0.0
        self._ended[mask] = False
        self.observations.fill(self._seen, now, mask)

    def _draw(self, world: int) -> Episode:
        self._episodes[world] += 1
        seed, index = self._seeds[world]
        stream = [seed, index, int(self._episodes[world])] if self._randomize else [0, 0, 0]
        return self.task.draw(np.random.default_rng(stream))

    def _advance(self, actions: FloatArray, moving: Bool) -> tuple[FloatArray, Bool, Bool, Bool]:
        before = self.batch.rods[self.task.rod].positions
        self.actions.apply(self.batch, actions, moving)
        which = None if moving.all() else moving
        failed = self.batch.step(self._steps_per_action, check=False, mask=which).failed & moving
        self.failures += int(failed.sum())
        self._elapsed[moving] += 1
        now = self.now(before)
        score = self.task.score(now)
        lost = moving & self.task.lost(now)
        held = np.where(~failed & ~lost & self.task.reached(now), self._held + 1, 0)
        self._held = np.where(moving, held, self._held)
        success = moving & (self._held >= self.task.held_steps)
        reward = np.where(moving, score - self._scores + success, 0.0)
        self._scores = np.where(moving, score, self._scores)
        self._returns += reward
        self.observations.fill(self._seen, now, moving)
        return reward, success, lost, failed

    def _infos(self, success: Bool, failed: Bool) -> dict[str, Any]:
        numbers = {
            "is_success": success,
            "step_failed": failed,
            "score": self._scores.copy(),
            "episode_return": self._returns.copy(),
            "episode_number": self._episodes.copy(),
        }
        every = np.ones(self.num_envs, dtype=bool)
        return {**numbers, **{f"_{key}": every for key in numbers}}

    def _note_final(self, info: dict[str, Any]) -> None:
        final = np.empty(self.num_envs, dtype=object)
        for i in np.flatnonzero(self._ended):
            final[i] = self.observations.row(self._seen, int(i))
        info["final_obs"], info["_final_obs"] = final, self._ended.copy()
        own = {key: values.copy() for key, values in info.items() if key in ("is_success", "step_failed", "score")}
        info["final_info"] = {**own, **{f"_{key}": self._ended.copy() for key in own}}
        info["_final_info"] = self._ended.copy()
