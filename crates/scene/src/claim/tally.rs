//! Sums over the steps of a run, for claims that read every one of them: of constant size, however long the run is.

use super::{
    ClaimKind, Finding, OnBody, RunRecord, Sample, balance, belt, coil, contact, grasp, pendulum, work,
};
use glam::DVec3;
use ropewalk_sim::{Model, State};

/// Numbers of a tally.
pub(crate) const TALLY_NUMBERS: usize = 200;
/// Blocks into which a run is cut, so that sums over its second half are known at any time.
const BLOCKS: usize = 32;
/// Sums of a block.
const BLOCK_SUMS: usize = 6;

/// What a claim has summed up; each claim says what stands where.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally([f64; TALLY_NUMBERS]);

impl Default for Tally {
    fn default() -> Self {
        Self([0.0; TALLY_NUMBERS])
    }
}

impl Tally {
    /// With these numbers, as many as there are.
    pub(crate) fn from_numbers(numbers: &[f64]) -> Self {
        let mut out = Self::default();
        for (to, from) in out.0.iter_mut().zip(numbers) {
            *to = *from;
        }
        out
    }

    pub(crate) fn numbers(&self) -> &[f64] {
        &self.0
    }

    pub(super) fn get(&self, at: usize) -> f64 {
        self.0[at]
    }

    pub(super) fn set(&mut self, at: usize, value: f64) {
        self.0[at] = value;
    }

    pub(super) fn add(&mut self, at: usize, value: f64) {
        self.0[at] += value;
    }

    pub(super) fn vector(&self, at: usize) -> DVec3 {
        DVec3::from_slice(&self.0[at..at + 3])
    }

    pub(super) fn set_vector(&mut self, at: usize, value: DVec3) {
        self.0[at..at + 3].copy_from_slice(&value.to_array());
    }

    pub(super) fn add_vector(&mut self, at: usize, value: DVec3) {
        self.set_vector(at, self.vector(at) + value);
    }

    /// Adds the numbers of a step to the sums of its block. Where all blocks are full, pairs of them become one, twice as
    /// long. Numbers: 0 steps in a full block, 1 full blocks, 2 steps in the open one, 3 on: sums.
    pub(super) fn add_to_block(&mut self, sums: [f64; BLOCK_SUMS]) {
        let n = &mut self.0;
        if n[0] == 0.0 {
            n[0] = 1.0;
        }
        let mut block = n[1] as usize;
        if block == BLOCKS {
            for b in 0..BLOCKS / 2 {
                for k in 0..BLOCK_SUMS {
                    let [even, odd] = [2 * b, 2 * b + 1].map(|b| n[3 + BLOCK_SUMS * b + k]);
                    n[3 + BLOCK_SUMS * b + k] = even + odd;
                }
            }
            n[3 + BLOCK_SUMS * BLOCKS / 2..3 + BLOCK_SUMS * BLOCKS].fill(0.0);
            n[0] *= 2.0;
            block = BLOCKS / 2;
            n[1] = block as f64;
        }
        for (k, sum) in sums.into_iter().enumerate() {
            n[3 + BLOCK_SUMS * block + k] += sum;
        }
        n[2] += 1.0;
        if n[2] >= n[0] {
            n[1] += 1.0;
            n[2] = 0.0;
        }
    }

    /// Means over the blocks of the second half of the run, `None` without a step.
    pub(super) fn second_half(&self) -> Option<[f64; BLOCK_SUMS]> {
        let n = &self.0;
        let (full, open) = (n[1] as usize, usize::from(n[2] > 0.0));
        let blocks = full + open;
        if blocks == 0 {
            return None;
        }
        let first = blocks / 2;
        let steps = (full - first.min(full)) as f64 * n[0] + n[2];
        let sum = |k: usize| (first..blocks).map(|b| n[3 + BLOCK_SUMS * b + k]).sum::<f64>();
        Some(core::array::from_fn(|k| sum(k) / steps))
    }
}

impl ClaimKind {
    /// The tally of a run from `start`; `None` if the claim needs none.
    pub(super) fn begin_tally(&self, model: &Model, start: &State) -> Option<Tally> {
        match *self {
            Self::MeanTension { rod } => Some(balance::begin_mean_tension(model, start, rod)),
            Self::ClampImpulse { rod } => Some(balance::begin_clamp_impulse(model, start, rod)),
            Self::TreeImpulse { tree } => Some(balance::begin_tree_impulse(model, start, tree)),
            Self::DoublePendulum { tree, mode } => Some(pendulum::begin_double(model, tree, mode)),
            Self::LoadPeriod(suspension) => Some(pendulum::begin_load(model, start, &suspension)),
            Self::OnBody { what: OnBody::Winding, rod, body } => {
                Some(coil::begin_winding(model, start, rod, body))
            }
            Self::Capstan { .. }
            | Self::BeltSlip { .. }
            | Self::HungTension { .. }
            | Self::WinchTorque { .. }
            | Self::StopForce { .. } => Some(Tally::default()),
            Self::PinchRise { finger } => Some(finger.begin_rise(model, start)),
            _ => None,
        }
    }

    /// Takes in a step.
    pub(super) fn see(&self, model: &Model, tally: &mut Tally, s: &Sample) {
        match *self {
            Self::MeanTension { rod } => balance::see_mean_tension(model, rod, tally, s),
            Self::ClampImpulse { rod } => balance::see_clamp_impulse(model, rod, tally, s),
            Self::TreeImpulse { tree } => balance::see_tree_impulse(model, tree, tally, s),
            Self::DoublePendulum { tree, .. } => pendulum::see_double(tree, tally, s),
            Self::LoadPeriod(suspension) => pendulum::see_load(model, &suspension, tally, s),
            Self::OnBody { what: OnBody::Winding, rod, .. } => coil::see_winding(rod, tally, s),
            Self::Capstan { clamp, load, .. } => contact::see_capstan(model, (clamp, load), tally, s),
            Self::BeltSlip { body, .. } => work::see_belt_slip(body, tally, s),
            Self::HungTension { hung, span } => work::see_hung(hung, span, tally, s),
            Self::WinchTorque { actuator, hung, span, .. } => {
                work::see_winch(model, actuator, hung, span, tally, s);
            }
            Self::StopForce { on_belt, from } => belt::see_stop_force(model, on_belt, from, tally, s),
            Self::PinchRise { finger } => finger.see_rise(model, tally, s),
            _ => {}
        }
    }

    /// What the tally of a run tells.
    pub(super) fn find_in_tally(&self, run: &RunRecord<'_>, tally: &Tally) -> Option<Finding> {
        match *self {
            Self::MeanTension { rod } => Some(balance::mean_tension(run, rod, tally)),
            Self::ClampImpulse { rod } => Some(balance::clamp_impulse(run, rod, tally)),
            Self::TreeImpulse { tree } => Some(balance::tree_impulse(run, tree, tally)),
            Self::DoublePendulum { tree, mode } => pendulum::double_pendulum(run, tree, mode, tally),
            Self::LoadPeriod(suspension) => pendulum::load_period(run, &suspension, tally),
            Self::OnBody { what: OnBody::Winding, rod, .. } => coil::winding(run, rod, tally),
            Self::Capstan { clamp, tree, link, angle, .. } => {
                contact::capstan(run, clamp, (tree, link), angle, tally)
            }
            Self::BeltSlip { rod, body, angle } => work::belt_slip(run, rod, body, angle, tally),
            Self::HungTension { hung, .. } => work::hung_tension(run, hung, tally),
            Self::WinchTorque { drum, hung, .. } => work::winch_torque(run, drum, hung, tally),
            Self::StopForce { on_belt, .. } => belt::stop_force(run, on_belt, tally),
            Self::PinchRise { finger } => grasp::pinch_rise(run, finger, tally),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_half_is_known_at_any_time() {
        for steps in [1usize, 2, 31, 32, 33, 64, 65, 1000, 4096, 100_000] {
            let mut tally = Tally::default();
            for i in 0..steps {
                tally.add_to_block([i as f64, 1.0, 0.0, 0.0, 0.0, 0.0]);
            }
            let [mean, one, ..] = tally.second_half().unwrap();
            // Up to a block, of which there are at least sixteen.
            let expected = 0.75 * steps as f64;
            assert!((mean - expected).abs() <= 0.05 * steps as f64 + 0.75, "{steps}: {mean}");
            assert!((one - 1.0).abs() < 1e-12, "{steps}: {one}");
        }
        assert_eq!(Tally::default().second_half(), None);
    }
}
