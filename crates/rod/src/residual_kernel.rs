//! The residual of the momentum balance, node by node, and the sums of the merit.
//!
//! m = M (v − v₀) + g + δt (α M v^θ − F), with g = δt ∂E; see [`crate::momentum_balance`]. Sums are vectorized over
//! the four degrees of freedom of a node, and reduced at the end.

use ropewalk_linalg::block4::fma;
use ropewalk_linalg::for_vector_unit;

type Nodes<'a> = &'a [[f64; 4]];

/// Terms of the residual, by node.
pub(crate) struct Balance<'a> {
    pub(crate) mass: Nodes<'a>,
    /// Factor c² on the inertia, 1 but for BDF2.
    pub(crate) inertia: f64,
    /// v₀ (BDF2: u*), v and v^θ.
    pub(crate) before: Nodes<'a>,
    pub(crate) v: Nodes<'a>,
    pub(crate) v_theta: Nodes<'a>,
    /// F, and follower forces; the latter may be empty.
    pub(crate) force: Nodes<'a>,
    pub(crate) follower_force: Nodes<'a>,
    /// δt ∂E.
    pub(crate) gradient: Nodes<'a>,
    /// 1/A_kk, 0 at held degrees of freedom.
    pub(crate) inverse_diagonal: Nodes<'a>,
    /// α.
    pub(crate) mass_damping: f64,
    pub(crate) dt: f64,
    /// δt/2θ, or 0.
    pub(crate) half_over_theta: f64,
}

/// Sums over all nodes; all but the first in the norm of the inverse diagonal of A.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    /// Φ without E, J.
    pub(crate) potential: f64,
    /// |m|², |M v|², |δt F|² and |δt ∂E|², J.
    pub(crate) residual: f64,
    pub(crate) momentum: f64,
    pub(crate) external: f64,
    pub(crate) internal: f64,
    /// Σ 1/A_kk over positions.
    pub(crate) rounding: f64,
}

for_vector_unit! {
    /// Computes the residual and the sums.
    pub(crate) fn balance(of: &Balance<'_>, residual: &mut [[f64; 4]]) -> Sums = balance_body;
}

#[inline(always)]
fn balance_body<const LANES: usize, const FUSED: bool>(of: &Balance<'_>, residual: &mut [[f64; 4]]) -> Sums {
    let Balance { inertia, mass_damping, dt, half_over_theta, .. } = *of;
    let with_followers = !of.follower_force.is_empty();
    let mut sums = [[0.0; 4]; 6];
    let nodes = of.mass.iter().zip(of.before).zip(of.v).zip(of.v_theta).zip(of.force).zip(of.gradient);
    let nodes = nodes.zip(of.inverse_diagonal).zip(residual).enumerate();
    for (i, (((((((m, before), v), v_theta), force), g), inverse), residual)) in nodes {
        let mut force = *force;
        if with_followers {
            for (f, more) in force.iter_mut().zip(of.follower_force[i]) {
                *f += more;
            }
        }
        for k in 0..4 {
            let change = v[k] - before[k];
            let damped = mass_damping * m[k] * v_theta[k];
            let impulse = dt * force[k];
            let heavy = inertia * m[k];
            let r = fma::<FUSED>(heavy, change, g[k]) + fma::<FUSED>(dt, damped, -impulse);
            residual[k] = r;
            let (pushed, rubbed) = (impulse * v[k], half_over_theta * damped * v_theta[k]);
            sums[0][k] += fma::<FUSED>(0.5 * heavy * change, change, rubbed - pushed);
            let p = heavy * v[k];
            sums[1][k] = fma::<FUSED>(inverse[k] * r, r, sums[1][k]);
            sums[2][k] = fma::<FUSED>(inverse[k] * p, p, sums[2][k]);
            sums[3][k] = fma::<FUSED>(inverse[k] * impulse, impulse, sums[3][k]);
            sums[4][k] = fma::<FUSED>(inverse[k] * g[k], g[k], sums[4][k]);
            sums[5][k] += inverse[k];
        }
    }
    sums[5][3] = 0.0;
    let [potential, residual, momentum, external, internal, rounding] =
        sums.map(|s| (s[0] + s[1]) + (s[2] + s[3]));
    Sums { potential, residual, momentum, external, internal, rounding }
}
