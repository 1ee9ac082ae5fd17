//! Damping of strain rates: the strains at the start of a step.

use super::RodKernel;
use super::edges::edge_pass;
use super::stencils::strain_pass;
use crate::rod::Rod;
use crate::state::NaturalShape;
use crate::strain_rate::StrainRate;
use ropewalk_linalg::Real;
use ropewalk_linalg::bdf2::Bdf2;
use ropewalk_linalg::lanes::Lanes;

impl RodKernel {
    /// Begins a step of `dt` from `q`, where evaluations start: from now on they include the damping of strain rates.
    /// With `theta` below 1 each evaluation has to be preceded by [`RodKernel::set_end`].
    pub(crate) fn begin_rates(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        dt: f64,
        theta: f64,
    ) {
        let Some(mut rate) = self.rate.take() else { return };
        self.find_strains(rod, natural, q);
        rate.begin(rod.stiffness_damping, dt, theta, &self.ratio, &self.strain);
        for j in rod.stencils() {
            // Edge e at index e + 1, the one before the first at 0.
            let chi = 1.0 + self.tangent.iter().map(|t| t[j] * t[j + 1]).sum::<f64>();
            rate.set_fold(j, chi, [self.ratio[rod.edge_before(j)], self.ratio[j]]);
        }
        self.rate = Some(rate);
    }

    /// Switches to the strain rates of BDF2 after a step that began at `q`; to be called after
    /// [`RodKernel::begin_rates`].
    pub(crate) fn add_rate_history(
        &mut self,
        rod: &Rod,
        natural: &NaturalShape,
        q: &[[f64; 4]],
        bdf2: &Bdf2,
    ) {
        let Some(mut rate) = self.rate.take() else { return };
        self.find_strains(rod, natural, q);
        rate.add_history(bdf2, &self.ratio, &self.strain);
        self.rate = Some(rate);
    }

    /// Sets the end `q` of the step, for strain rates.
    pub(crate) fn set_end(&mut self, rod: &Rod, natural: &NaturalShape, q: &[[f64; 4]]) {
        let Some(mut rate) = self.rate.take() else { return };
        self.find_strains(rod, natural, q);
        rate.set_end(&self.ratio, &self.strain);
        self.rate = Some(rate);
    }

    fn find_strains(&mut self, rod: &Rod, natural: &NaturalShape, q: &[[f64; 4]]) {
        self.load(rod, q);
        edge_pass(self, rod);
        self.close(rod);
        strain_pass(self, rod, natural);
    }

    /// Whether evaluations include the damping of strain rates.
    pub(crate) fn is_damped(&self) -> bool {
        self.rate.is_some()
    }
}

/// The change of N strains within the step.
#[inline(always)]
pub(super) fn change_of<const N: usize, const F: bool>(
    rate: &StrainRate,
    strain: Lanes<N, F>,
    offset: &[f64],
) -> Lanes<N, F> {
    Lanes::splat(rate.own).mul_add(strain, Lanes::load(offset))
}
