"""MJCF files against MuJoCo itself: mass matrix, bias, gravity and frames on random states."""

from pathlib import Path

import numpy as np
import pytest
from random_trees import KINDS, mjcf, random_tree, rotation_quat
from ropewalk.inspect import robot_dynamics, robot_point

mujoco = pytest.importorskip("mujoco", reason="MuJoCo cannot be imported: `pip install mujoco` runs these tests")

FOLDER = Path(__file__).parents[2] / "crates/scene/tests/mjcf"


def everything():
    """The test model with its included file in place."""
    text = (FOLDER / "everything.xml").read_text()
    inside = (FOLDER / "classes.xml").read_text().replace("<mujocoinclude>", "").replace("</mujocoinclude>", "")
    return text.replace('<include file="classes.xml"/>', inside).replace('<muscle name="biceps" joint="pitch"/>', "")


def random_model(seed):
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.permutation(KINDS + list(rng.choice(KINDS, size=4)))]
    return mjcf(random_tree(rng, kinds, False))


MODELS = {"everything": everything} | {f"random_{seed}": lambda seed=seed: random_model(seed) for seed in range(8)}


class State:
    """A random state of a model, in MuJoCo's coordinates and in ours."""

    def __init__(self, text, rng):
        self.text = text
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        model, data = self.model, self.data
        self.to_ours = np.eye(model.nv)
        q = np.zeros(model.nq)
        for j in range(model.njnt):
            at, dof = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])
            kind = mujoco.mjtJoint(int(model.jnt_type[j]))
            if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
                data.qpos[at] = q[at] = rng.uniform(-1, 1)
                continue
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                data.qpos[at : at + 3] = q[at : at + 3] = rng.normal(size=3)
                at, dof = at + 3, dof + 3
            xyzw = rng.normal(size=4)
            xyzw /= np.linalg.norm(xyzw)
            data.qpos[at : at + 4], q[at : at + 4] = xyzw[[3, 0, 1, 2]], xyzw
            # Angular velocity: MuJoCo's is in the axes of the body, ours in those of the joint.
            self.to_ours[dof : dof + 3, dof : dof + 3] = rotation_quat(xyzw)
        self.q = q
        data.qvel[:] = rng.normal(size=model.nv)
        self.v = self.to_ours @ data.qvel

    def mass_matrix(self):
        full = np.zeros((self.model.nv, self.model.nv))
        for k in range(self.model.nv):
            column, unit = np.zeros(self.model.nv), np.eye(self.model.nv)[k]
            mujoco.mj_mulM(self.model, self.data, column, unit)
            full[:, k] = column
        return self.to_ours @ full @ self.to_ours.T


@pytest.fixture(params=[(name, k) for name in MODELS for k in range(2)], ids=lambda p: f"{p[0]}_{p[1]}")
def state(request):
    name, k = request.param
    return State(MODELS[name](), np.random.default_rng(100 + k))


def assert_near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max()))


def test_dynamics(state):
    model, data = state.model, state.data
    gravity = np.array([0.5, -2.0, -9.0])
    found = robot_dynamics(state.text, state.q, state.v, np.zeros(model.nv), gravity)
    model.opt.gravity[:] = 0.0
    mujoco.mj_forward(model, data)
    assert_near(found["M"], state.mass_matrix())
    bias = state.to_ours @ data.qfrc_bias
    assert_near(found["bias"], bias)
    model.opt.gravity[:] = gravity
    mujoco.mj_forward(model, data)
    assert_near(found["gravity_force"], bias - state.to_ours @ data.qfrc_bias)


def test_frames(state):
    model, data = state.model, state.data
    mujoco.mj_forward(model, data)
    for body in range(1, model.nbody):
        found = robot_point(state.text, state.q, state.v, model.body(body).name, [0.0, 0.0, 0.0])
        assert_near(found["position"], data.xpos[body])
        assert_near(found["rotation"], data.xmat[body].reshape(3, 3))
    for site in range(model.nsite):
        found = robot_point(state.text, state.q, state.v, model.site(site).name, [0.0, 0.0, 0.0])
        assert_near(found["position"], data.site_xpos[site])
        assert_near(found["rotation"], data.site_xmat[site].reshape(3, 3))


def test_a_world_holds_a_model(tmp_path):
    import ropewalk

    path = tmp_path / "everything.xml"
    path.write_text(everything())
    world = ropewalk.World()
    world.add_robot("r", mjcf=path, key_frame="home")
    world.step()
    assert world.ctrl.shape == (2,)
