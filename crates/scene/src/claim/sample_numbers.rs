//! Samples as rows of numbers, to be kept in a file.

use super::{RodSample, Sample, Touch, TreeSample};
use ropewalk_sim::{Energies, Model, Wrench};

impl Sample {
    /// All its numbers in a row.
    pub fn numbers(&self) -> Vec<f64> {
        let mut out = Vec::new();
        let mut copy = self.clone();
        copy.visit(&mut |x| out.push(*x));
        out
    }

    /// How many numbers a sample of `model` has.
    pub fn number_count(model: &Model) -> usize {
        Self::empty(model).numbers().len()
    }

    /// The sample of `model` with these numbers; those that are missing are zero.
    pub fn from_numbers(model: &Model, numbers: &[f64]) -> Self {
        let mut out = Self::empty(model);
        let mut rest = numbers.iter();
        out.visit(&mut |x| *x = rest.next().copied().unwrap_or(0.0));
        out
    }

    /// A sample of `model` in which every number is zero.
    fn empty(model: &Model) -> Self {
        Self {
            wrenches: vec![Wrench::default(); model.clamps.len()],
            attachments: vec![Wrench::default(); model.attachments.len()],
            efforts: vec![0.0; model.actuators.len()],
            lags: vec![0.0; model.actuators.len()],
            hand_errors: vec![0.0; model.hands.len()],
            rods: vec![RodSample::default(); model.rods.len()],
            trees: model
                .trees
                .iter()
                .map(|t| TreeSample {
                    q: vec![0.0; t.tree.position_count()],
                    v: vec![0.0; t.tree.velocity_count()],
                    contacts: vec![Wrench::default(); t.tree.links().len()],
                    ..TreeSample::default()
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Shows every number to `see`, always in the same order.
    fn visit(&mut self, see: &mut impl FnMut(&mut f64)) {
        // Destructured: a field that is added is a compile error here until it is kept, too.
        let Self {
            time,
            energies,
            work,
            wrenches,
            attachments,
            efforts,
            lags,
            hand_errors,
            touching,
            deepest_overlap,
            deepest_rod_overlap,
            deepest_overlap_m,
            nearest_pass,
            touches,
            rods,
            trees,
        } = self;
        let mut touching_number = *touching as f64;
        // Ratios are not negative.
        let mut pass_number = nearest_pass.unwrap_or(-1.0);
        let overlaps = [deepest_overlap, deepest_rod_overlap, deepest_overlap_m];
        for x in [time, work, &mut touching_number, &mut pass_number].into_iter().chain(overlaps) {
            see(x);
        }
        *touching = touching_number as usize;
        *nearest_pass = (pass_number >= 0.0).then_some(pass_number);
        visit_energies(energies, see);
        for wrench in wrenches.iter_mut().chain(attachments) {
            visit_wrench(wrench, see);
        }
        visit_touches(touches, rods.len(), trees, see);
        efforts.iter_mut().chain(lags).chain(hand_errors).for_each(&mut *see);
        for rod in rods {
            let RodSample {
                energies,
                momentum,
                kinetic,
                position_momentum,
                mass_moment,
                tension_length,
                length,
                contact,
                ends: [first, last],
                end_tensions,
                greatest_speed,
            } = rod;
            visit_energies(energies, see);
            momentum.as_mut().iter_mut().chain(mass_moment.as_mut()).for_each(&mut *see);
            for x in [kinetic, position_momentum, tension_length, length, greatest_speed] {
                see(x);
            }
            let places = first.as_mut().iter_mut().chain(last.as_mut());
            contact.as_mut().iter_mut().chain(places).chain(end_tensions).for_each(&mut *see);
        }
        for tree in trees {
            let TreeSample { energies, q, v, momentum, com, base, contacts, rod_contacts, tree_contacts } =
                tree;
            visit_energies(energies, see);
            q.iter_mut().chain(v).for_each(&mut *see);
            momentum.as_mut().iter_mut().chain(com.as_mut()).for_each(&mut *see);
            visit_wrench(base, see);
            contacts.iter_mut().for_each(|wrench| visit_wrench(wrench, see));
            for count in [rod_contacts, tree_contacts] {
                let mut number = *count as f64;
                see(&mut number);
                *count = number as usize;
            }
        }
    }
}

/// Two numbers for each rod and link: the first and last edge that touch, counted from 1; 0 if none does.
fn visit_touches(
    touches: &mut Vec<Touch>,
    rods: usize,
    trees: &[TreeSample],
    see: &mut impl FnMut(&mut f64),
) {
    let mut after = Vec::new();
    for rod in 0..rods {
        for (tree, sample) in trees.iter().enumerate() {
            for link in 0..sample.contacts.len() {
                let found = touches.iter().find(|t| (t.rod, t.tree, t.link) == (rod, tree, link));
                let mut numbers = found.map_or([0.0; 2], |t| t.edges.map(|e| (e + 1) as f64));
                numbers.iter_mut().for_each(&mut *see);
                if numbers[0] > 0.0 {
                    let edges = numbers.map(|x| (x as usize).saturating_sub(1));
                    after.push(Touch { rod, tree, link, edges });
                }
            }
        }
    }
    *touches = after;
}

fn visit_energies(energies: &mut Energies, see: &mut impl FnMut(&mut f64)) {
    let Energies { kinetic, stretch, bend, twist, gravity, joints, plastic } = energies;
    for x in [kinetic, stretch, bend, twist, gravity, joints, plastic] {
        see(x);
    }
}

fn visit_wrench(wrench: &mut Wrench, see: &mut impl FnMut(&mut f64)) {
    let Wrench { force, torque } = wrench;
    force.as_mut().iter_mut().chain(torque.as_mut()).for_each(see);
}
