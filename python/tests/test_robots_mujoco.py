"""Random robots with every kind of joint against MuJoCo, a second library."""

import numpy as np
import pytest
from random_trees import KINDS, mjcf, random_tree, rotation_quat, urdf
from ropewalk.inspect import robot_dynamics, robot_point

mujoco = pytest.importorskip("mujoco", reason="MuJoCo cannot be imported: `pip install mujoco` runs these tests")


class Twin:
    """A random state of a random robot, in our coordinates and in MuJoCo's."""

    def __init__(self, seed, free_base):
        rng = np.random.default_rng(seed)
        # Every kind once, and four more.
        kinds = rng.permutation(KINDS + list(rng.choice(KINDS, size=4)))
        self.links = random_tree(rng, [str(kind) for kind in kinds], free_base)
        order = [int(i) for i in rng.permutation(len(self.links))]
        self.text = urdf(self.links, order)
        self.base = "free" if free_base else "fixed"
        self.model = mujoco.MjModel.from_xml_string(mjcf(self.links))
        self.data = mujoco.MjData(self.model)

        q, v, dofs, turns = [], [], [], []
        # The base comes first, then the joints in the order of the URDF.
        for i in [0, *(i for i in order if i > 0)]:
            for part, (kind, _) in enumerate(self.links[i].parts):
                joint = self.model.joint(f"j{i}_{part}")
                at, dof = int(joint.qposadr[0]), int(joint.dofadr[0])
                if kind == "ball":
                    quat = rng.normal(size=4)
                    quat /= np.linalg.norm(quat)
                    self.data.qpos[at : at + 4] = quat[[3, 0, 1, 2]]
                    q.extend(quat)
                    turn = rotation_quat(quat)
                else:
                    self.data.qpos[at] = rng.uniform(-2, 2)
                    q.append(self.data.qpos[at])
                    turn = np.eye(1)
                speed = rng.normal(size=len(turn))
                self.data.qvel[dof : dof + len(turn)] = turn.T @ speed
                v.extend(speed)
                dofs.append(dof)
                turns.append(turn)
        self.q, self.v = np.array(q), np.array(v)
        # v = T v_MuJoCo. Angular accelerations turn alike, since w x w = 0.
        self.to_ours = np.zeros((self.model.nv, self.model.nv))
        row = 0
        for dof, turn in zip(dofs, turns, strict=True):
            self.to_ours[row : row + len(turn), dof : dof + len(turn)] = turn
            row += len(turn)
        assert row == self.model.nv
        self.tau = rng.normal(size=row)
        self.gravity = rng.normal(size=3) * 5

    def mass_matrix(self):
        """M by its products with unit vectors, whatever way MuJoCo stores it."""
        columns = []
        for k in range(self.model.nv):
            unit, column = np.zeros(self.model.nv), np.zeros(self.model.nv)
            unit[k] = 1.0
            mujoco.mj_mulM(self.model, self.data, column, unit)
            columns.append(column)
        return self.to_ours @ np.array(columns).T @ self.to_ours.T


SEEDS = [(seed, free) for seed in range(12) for free in (False, True)]


@pytest.fixture(params=SEEDS, ids=lambda p: f"{'free' if p[1] else 'fixed'}_{p[0]}")
def twin(request):
    return Twin(*request.param)


def assert_near(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * max(1.0, np.abs(expected).max()))


def test_dynamics(twin):
    model, data, to_ours = twin.model, twin.data, twin.to_ours
    found = robot_dynamics(twin.text, twin.q, twin.v, twin.tau, twin.gravity, base=twin.base)

    model.opt.gravity[:] = 0.0
    data.qfrc_applied[:] = to_ours.T @ twin.tau
    mujoco.mj_forward(model, data)
    assert_near(found["M"], twin.mass_matrix())
    bias = to_ours @ data.qfrc_bias
    assert_near(found["bias"], bias)
    model.opt.gravity[:] = twin.gravity
    mujoco.mj_forward(model, data)
    # qfrc_bias is bias less gravity.
    assert_near(found["gravity_force"], bias - to_ours @ data.qfrc_bias)
    assert_near(found["vdot"], to_ours @ data.qacc)

    kinetic = 0.5 * twin.v @ twin.mass_matrix() @ twin.v
    assert_near(found["kinetic_energy"], kinetic)
    heights = data.xipos @ twin.gravity
    assert_near(found["potential_energy"], -model.body_mass @ heights)
    if twin.base == "free":
        assert_near(found["M"][0, 0], model.body_mass.sum())


def test_points(twin):
    model, data, to_ours = twin.model, twin.data, twin.to_ours
    rng = np.random.default_rng(7)
    mujoco.mj_forward(model, data)
    for i in range(len(twin.links)):
        offset = rng.uniform(-0.3, 0.3, size=3)
        found = robot_point(twin.text, twin.q, twin.v, f"l{i}", offset, base=twin.base)
        body = data.body(f"l{i}")
        rotation = body.xmat.reshape(3, 3)
        point = body.xpos + rotation @ offset
        assert_near(found["position"], point)
        assert_near(found["rotation"], rotation)
        jacobian, rate = np.zeros((3, model.nv)), np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, None, point, body.id)
        # J v is the same in both, so J = J_MuJoCo T^-1, and T is a rotation.
        assert_near(found["jacobian"], jacobian @ to_ours.T)
        mujoco.mj_jacDot(model, data, rate, None, point, body.id)
        assert_near(found["bias_acc"], rate @ data.qvel)
