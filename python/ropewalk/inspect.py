"""The building blocks of the simulator as functions of plain arrays, for whoever wants to check them.

A rod of n nodes has the degrees of freedom q = x1, g1, x2, g2, ..., xn (open, 4n - 1 of them) or ..., xn, gn (closed,
4n): positions x in m and twist angles g (gamma) of the edges in rad. Edge i joins the nodes i and i + 1 (modulo n if
closed). Stencils are the inner nodes of an open rod and all nodes of a closed one; the stencil at node k couples the
edges k - 1 and k. So an open rod has n - 1 edges and n - 2 stencils, a closed one n of each.

Frames: d1(x) = P(t_ref -> t(x)) d1_ref with P the parallel transport, d2 = t x d1, m1 = cos(g) d1 + sin(g) d2,
m2 = -sin(g) d1 + cos(g) d2. beta is the signed angle about t^k from P(t^(k-1) -> t^k) d1^(k-1) to d1^k, on the branch
of 2 pi nearest to beta_ref; tau = g^k - g^(k-1) + beta. With kappa = 2 t^(k-1) x t^k / (1 + t^(k-1).t^k):
kappa1 = kappa.(m2^(k-1) + m2^k)/2 and kappa2 = -kappa.(m1^(k-1) + m1^k)/2.

Arguments may be anything that numpy makes an array of; results are float64 arrays. A bad argument raises ValueError.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from ropewalk import _arrays, _core
from ropewalk._arrays import FloatArray
from ropewalk._distance import Separation, distance
from ropewalk._pressure import PatchPolygon, PressurePatch, pressure_patch

__all__ = [
    "ContactSolution",
    "PatchPolygon",
    "PressurePatch",
    "RobotDynamics",
    "RobotPoint",
    "RodEnergy",
    "RodStep",
    "Separation",
    "contact_solve",
    "distance",
    "pressure_patch",
    "robot_dynamics",
    "robot_point",
    "rod_energy",
    "rod_step",
]


class RodEnergy(TypedDict):
    """Result of :func:`rod_energy`; N is the number of degrees of freedom."""

    E_s: float
    """Stretching energy in J."""
    E_t: float
    """Twisting energy in J."""
    E_b: float
    """Bending energy in J."""
    gradient: FloatArray
    """Gradient of E_s + E_t + E_b, shape (N,): N for positions, N m for angles."""
    hessian: FloatArray
    """Hessian of E_s + E_t + E_b, shape (N, N)."""
    kappa1: FloatArray
    """Integrated curvature per stencil in rad."""
    kappa2: FloatArray
    """Integrated curvature per stencil in rad."""
    tau: FloatArray
    """Integrated twist per stencil in rad."""


class RodStep(TypedDict):
    """Result of :func:`rod_step`; N is the number of degrees of freedom."""

    v: FloatArray
    """Velocities at the end of the step, shape (N,), in m/s and rad/s."""
    A: FloatArray
    """Tangent of the momentum balance at v, shape (N, N)."""
    q: FloatArray
    """Positions and angles at the end of the step, shape (N,), in m and rad."""
    d1: FloatArray
    """Reference directors at the end of the step, shape (edges, 3)."""
    beta: FloatArray
    """Reference twist at the end of the step, shape (stencils,), in rad."""
    iterations: int
    """Newton iterations."""
    status: str
    """"converged", "stalled", "max_iterations" or "not_finite"."""


# How the arguments that describe a rod, and those of a step, become what the compiled part takes.
_ROD: dict[str, Callable[[str, Any], object]] = {
    "closed": _arrays.truth,
    "EA": _arrays.number_or_list,
    "EI1": _arrays.number_or_list,
    "EI2": _arrays.number_or_list,
    "GJ": _arrays.number_or_list,
    "rest_edge_lengths": _arrays.list_of,
    "rest_kappa1": _arrays.number_or_list,
    "rest_kappa2": _arrays.number_or_list,
    "rest_tau": _arrays.number_or_list,
    "t_ref": _arrays.vectors,
    "d1_ref": _arrays.vectors,
    "beta_ref": _arrays.list_of,
}
_STEP: dict[str, Callable[[str, Any], object]] = {
    "mass_diag": _arrays.list_of,
    "dt": _arrays.number,
    "theta": _arrays.number,
    "theta_vq": _arrays.number,
    "alpha": _arrays.number,
    "beta": _arrays.number,
    "gravity": _arrays.vector,
    "fixed_dofs": _arrays.indices,
}


def _taken(kinds: Mapping[str, Callable[[str, Any], object]], given: Mapping[str, Any]) -> dict[str, object]:
    """Those of the arguments of a function that ``kinds`` names, as the compiled part takes them."""
    return {name: take(name, given[name]) for name, take in kinds.items()}


def rod_energy(
    x: ArrayLike,
    gamma: ArrayLike,
    *,
    closed: bool,
    EA: ArrayLike,
    EI1: ArrayLike,
    EI2: ArrayLike,
    GJ: ArrayLike,
    rest_edge_lengths: ArrayLike,
    rest_kappa1: ArrayLike,
    rest_kappa2: ArrayLike,
    rest_tau: ArrayLike,
    t_ref: ArrayLike,
    d1_ref: ArrayLike,
    beta_ref: ArrayLike,
) -> RodEnergy:
    """Elastic energies of a rod, their gradient and Hessian, and its strains.

    The derivatives are those that forces are made of: the reference frames are carried to x first, and the energy is
    differentiated there. They satisfy the balance of forces and of moments.

    Args:
        x: positions of the nodes, shape (n, 3), in m.
        gamma: twist angles, shape (edges,), in rad.
        closed: whether the last node is joined to the first.
        EA: stretching stiffness in N; a number or shape (edges,).
        EI1, EI2: bending stiffness in N m^2 that goes with kappa1, kappa2; a number or shape (stencils,).
        GJ: twisting stiffness in N m^2; a number or shape (stencils,).
        rest_edge_lengths: shape (edges,), in m.
        rest_kappa1, rest_kappa2, rest_tau: natural curvature and twist, integrated over a stencil, in rad; a number or
            shape (stencils,).
        t_ref, d1_ref: tangents and reference directors of the edges, shape (edges, 3); orthonormal to 1e-6 or better.
        beta_ref: reference twist, shape (stencils,), in rad; only its branch of 2 pi matters.

    Returns:
        A dictionary, :class:`RodEnergy`.

    Raises:
        ValueError: an argument has the wrong shape or is out of range, or edges are opposed to one another or to t_ref.
    """
    rod = _taken(_ROD, locals())
    return _core.rod_energy(_arrays.vectors("x", x), _arrays.list_of("gamma", gamma), rod)


def rod_step(
    q: ArrayLike,
    v: ArrayLike,
    *,
    closed: bool,
    EA: ArrayLike,
    EI1: ArrayLike,
    EI2: ArrayLike,
    GJ: ArrayLike,
    rest_edge_lengths: ArrayLike,
    rest_kappa1: ArrayLike,
    rest_kappa2: ArrayLike,
    rest_tau: ArrayLike,
    t_ref: ArrayLike,
    d1_ref: ArrayLike,
    beta_ref: ArrayLike,
    mass_diag: ArrayLike,
    dt: float,
    theta: float = 1.0,
    theta_vq: float = 1.0,
    alpha: float = 0.0,
    beta: float = 0.0,
    gravity: ArrayLike,
    fixed_dofs: ArrayLike = (),
) -> RodStep:
    """One step of free motion of a rod, by the theta-method, solved to round-off.

    The new velocities v' satisfy

        M (v' - v) + dt [dE(q_theta) + B^T beta k r + alpha M v_theta - M g] = 0,

    with v_theta = theta v' + (1 - theta) v, q_theta = q + theta dt (theta_vq v' + (1 - theta_vq) v) and dE the
    derivative of :func:`rod_energy`, its frames carried from the start of the step to q_theta. Then
    q' = q + dt (theta_vq v' + (1 - theta_vq) v). B is the derivative at q_theta of the strains s (stretch of the edges,
    kappa1, kappa2 and tau of the stencils), k their stiffness and r = (s(q') - s(q))/dt their rates.
    A = (1 + alpha theta dt) M + beta theta_vq dt B^T k B + theta theta_vq dt^2 (Hessian at q_theta), the latter with the
    moments k (s - rest) + beta k r.

    Backward Euler is theta = theta_vq = 1, the midpoint rule theta = theta_vq = 1/2, symplectic Euler theta = 0 with
    theta_vq = 1.

    Args:
        q: positions and angles at the start, shape (N,) with N = 4n - 1 (open) or 4n (closed), in m and rad.
        v: velocities at the start, shape (N,), in m/s and rad/s.
        closed, EA, EI1, EI2, GJ, rest_edge_lengths, rest_kappa1, rest_kappa2, rest_tau: as in :func:`rod_energy`.
        t_ref, d1_ref, beta_ref: frames as in :func:`rod_energy`; they are carried to q before the step.
        mass_diag: diagonal of the mass matrix M, shape (N,), in kg and kg m^2; above zero.
        dt: time step in s.
        theta, theta_vq: weights of the theta-method, from 0 to 1.
        alpha, beta: damping by mass in 1/s, and of strain rates by stiffness in s.
        gravity: shape (3,), in m/s^2.
        fixed_dofs: indices from 0 of degrees of freedom that keep their velocity v; may be empty.

    Returns:
        A dictionary, :class:`RodStep`. A has the rows of fixed degrees of freedom as they are without fixing. Unless status
        is "converged", v, q, d1 and beta are those at the start of the step, d1 and beta carried to q, and A is taken there.

    Raises:
        ValueError: an argument has the wrong shape or is out of range, or edges are opposed to one another or to t_ref.
    """
    given = locals()
    rod, step = _taken(_ROD, given), _taken(_STEP, given)
    return _core.rod_step(_arrays.list_of("q", q), _arrays.list_of("v", v), rod, step)


class ContactSolution(TypedDict):
    """Result of :func:`contact_solve`."""

    v: FloatArray
    """Velocities, shape (nv,), in the units of v_star."""
    lam: FloatArray
    """Impulses, shape (3 nc,), per contact (t1, t2, n), in N s."""
    objective: float
    """``1/2 |v - v_star|^2_A + 1/2 lam^T R lam`` in J."""
    iterations: int
    """Newton iterations."""
    status: str
    """"converged", "round_off", "max_iterations", "not_positive_definite" or "overflow"."""


def contact_solve(
    A: ArrayLike,
    J: ArrayLike,
    v_star: ArrayLike,
    phi0: ArrayLike,
    mu: ArrayLike,
    dt: float,
    *,
    law: str = "sap",
    k: ArrayLike | None = None,
    tau_d: ArrayLike = 0.0,
    sigma: float = 1e-3,
    near_rigid_beta: float = 0.0,
    R: ArrayLike | None = None,
    vhat: ArrayLike | None = None,
) -> ContactSolution:
    """The convex contact problem with frictional contacts, dense in and out.

    Minimizes ``1/2 |v - v_star|^2_A + 1/2 |P(y)|^2_R`` with ``y = -R^-1 (J v - vhat)`` and ``P`` the projection on the friction
    cones ``|lam_t| <= mu lam_n`` in the norm of R; ``lam = P(y)``.

    Where R is not given, ``R_t = sigma w`` and ``R_n = max(near_rigid_beta^2 w/4 pi^2, 1/(dt k (dt + tau_d)))`` with
    ``w = |J_i A^-1 J_i^T|_F/3`` for each contact; where vhat is not given, it is -phi0/(dt + tau_d) along the normal.

    Args:
        A: symmetric positive definite matrix, shape (nv, nv), in kg (kg m, kg m^2 for angles).
        J: Jacobian, shape (3 nc, nv), rows (t1, t2, n) per contact.
        v_star: velocities of the free motion, shape (nv,).
        phi0: signed distances, shape (nc,), in m; not read where vhat is given.
        mu: coefficients of friction, a number or shape (nc,).
        dt: time step in s.
        law: "sap", the regularized cone; others are refused.
        k: stiffness in N/m, a number or shape (nc,); without it near_rigid_beta must be above zero. Not read where R is
            given.
        tau_d: dissipation time in s, a number or shape (nc,); not read where R and vhat are given.
        sigma: R_t over w; not read where R is given.
        near_rigid_beta: beta of the near-rigid bound; not read where R is given.
        R: regularization, shape (3 nc,), in 1/kg; equal in both tangential rows of a contact.
        vhat: velocities at which contacts rest, shape (3 nc,), in m/s.

    Returns:
        A dictionary, :class:`ContactSolution`.

    Raises:
        ValueError: an argument has the wrong shape, is not finite or out of range, or the law is not "sap".
    """
    if law != "sap":
        raise ValueError(f"law is {law!r}, expected 'sap': the other laws need more than these arguments")
    given = R is not None
    both = given and vhat is not None
    contacts = {
        "phi0": _arrays.number_or_list("phi0", 0.0 if vhat is not None else phi0),
        "mu": _arrays.number_or_list("mu", mu),
        "dt": _arrays.number("dt", dt),
        "k": None if given or k is None else _arrays.number_or_list("k", k),
        "tau_d": _arrays.number_or_list("tau_d", 0.0 if both else tau_d),
        "sigma": 1e-3 if given else _arrays.number("sigma", sigma),
        "near_rigid_beta": 0.0 if given else _arrays.number("near_rigid_beta", near_rigid_beta),
        "R": None if R is None else _arrays.list_of("R", R),
        "vhat": None if vhat is None else _arrays.list_of("vhat", vhat),
    }
    return _core.contact_solve(
        _arrays.matrix("A", A), _arrays.matrix("J", J), _arrays.list_of("v_star", v_star), contacts
    )


class RobotDynamics(TypedDict):
    """Result of :func:`robot_dynamics`; nv is the length of v."""

    M: FloatArray
    """Mass matrix, shape (nv, nv), in kg, kg m and kg m^2."""
    bias: FloatArray
    """Coriolis and centrifugal efforts, without gravity, shape (nv,), in N and N m."""
    gravity_force: FloatArray
    """Efforts of gravity, shape (nv,), in N and N m."""
    vdot: FloatArray
    """Accelerations, shape (nv,), in m/s^2 and rad/s^2; joint damping included."""
    kinetic_energy: float
    """Kinetic energy in J."""
    potential_energy: float
    """Potential energy of gravity in J, zero at the world's origin."""


class RobotPoint(TypedDict):
    """Result of :func:`robot_point`, in world axes; nv is the length of v."""

    position: FloatArray
    """The point, shape (3,), in m."""
    rotation: FloatArray
    """Rotation of the link, shape (3, 3); its columns are the link's axes."""
    jacobian: FloatArray
    """J with J v the velocity of the point, shape (3, nv)."""
    bias_acc: FloatArray
    """dJ/dt v, shape (3,), in m/s^2."""


def _free_base(base: str) -> bool:
    if base not in ("fixed", "free"):
        raise ValueError(f"base is {base!r}, expected 'fixed' or 'free'")
    return base == "free"


def _text(name: str, value: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{name} is of type {type(value).__name__}, expected text")
    return value


def _robot(urdf_text: str, q: ArrayLike, v: ArrayLike) -> tuple[str, FloatArray, FloatArray]:
    return _text("urdf_text", urdf_text), _arrays.list_of("q", q), _arrays.list_of("v", v)


def robot_dynamics(
    urdf_text: str,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    gravity: ArrayLike,
    *,
    base: str = "fixed",
) -> RobotDynamics:
    """Equations of motion of a robot: M vdot + bias = tau + gravity_force - damping v.

    Coordinates of the joints follow one another in the order in which the URDF names the joints:

    ====================  =============================================  ===========================================================
    joint                 q                                              v
    ====================  =============================================  ===========================================================
    fixed                 none                                           none
    revolute, continuous  angle (rad)                                    rate
    prismatic             displacement (m)                               rate
    universal             angles about `axis`, then `axis2` (rad)        rates
    planar                x, y in the plane (m), angle about its normal  rates
    ball                  quat_xyzw of the child in the joint frame      angular velocity, axes of the joint frame
    floating              position (m), quat_xyzw in the joint frame     velocity of the child's origin, angular velocity; same axes
    ====================  =============================================  ===========================================================

    The joint frame is that of the joint's `<origin>`, fixed to the parent. Mimic joints count as joints of their own.

    Args:
        urdf_text: a URDF; its collision geometry and meshes are not read.
        q: positions, shape (nq,). With base="free" they start with the position of the base's origin (m) and its quat_xyzw.
        v: velocities, shape (nv,). With base="free" they start with the velocity of the base's origin (m/s) and its
            angular velocity (rad/s), both in world axes.
        tau: efforts, shape (nv,), in N and N m.
        gravity: shape (3,), in m/s^2.
        base: "fixed", the root link at the world's origin, or "free".

    Returns:
        A dictionary, :class:`RobotDynamics`. Dry friction, limits and mimic take no part.

    Raises:
        ValueError: the URDF is wrong (with the line and what to do), or an argument has the wrong shape or is not finite,
            or a quaternion is not of unit length to 1e-6, or the mass matrix is singular.
    """
    return _core.robot_dynamics(
        *_robot(urdf_text, q, v),
        _arrays.list_of("tau", tau),
        _arrays.vector("gravity", gravity),
        _free_base(base),
    )


def robot_point(
    urdf_text: str,
    q: ArrayLike,
    v: ArrayLike,
    body: str,
    offset: ArrayLike,
    *,
    base: str = "fixed",
) -> RobotPoint:
    """Where a point of a link is and how it moves.

    Args:
        urdf_text, q, v, base: as in :func:`robot_dynamics`.
        body: name of the link.
        offset: the point in the axes of the link, from its origin, shape (3,), in m.

    Returns:
        A dictionary, :class:`RobotPoint`.

    Raises:
        ValueError: as in :func:`robot_dynamics`, or there is no such link.
    """
    return _core.robot_point(
        *_robot(urdf_text, q, v),
        _text("body", body),
        _arrays.vector("offset", offset),
        _free_base(base),
    )
