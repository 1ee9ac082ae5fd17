//! Samples as rows of numbers, for files.

use crate::{RodSample, Sample, TreeSample};
use ropewalk_sim::{Energies, Model, Wrench};

impl Sample {
    /// All its numbers in a row.
    pub fn numbers(&self) -> Vec<f64> {
        let mut out = Vec::new();
        let mut copy = self.clone();
        copy.visit(&mut |x| out.push(*x));
        out
    }

    /// Count of the numbers of a sample of `model`.
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
            rods: vec![RodSample::default(); model.rods.len()],
            trees: model
                .trees
                .iter()
                .map(|t| TreeSample {
                    contacts: vec![Wrench::default(); t.tree.links().len()],
                    ..TreeSample::default()
                })
                .collect(),
            ..Self::default()
        }
    }

    /// Passes every number to `see`, always in the same order.
    fn visit(&mut self, see: &mut impl FnMut(&mut f64)) {
        // Destructured: a new field is a compile error here until it is stored, too.
        let Self {
            time,
            energies,
            work,
            wrenches,
            attachments,
            efforts,
            touching,
            deepest_overlap,
            deepest_overlap_m,
            rods,
            trees,
        } = self;
        let mut touching_number = *touching as f64;
        for x in [time, work, &mut touching_number, deepest_overlap, deepest_overlap_m] {
            see(x);
        }
        *touching = touching_number as usize;
        visit_energies(energies, see);
        for wrench in wrenches.iter_mut().chain(attachments) {
            visit_wrench(wrench, see);
        }
        efforts.iter_mut().for_each(&mut *see);
        for RodSample { energies, length } in rods {
            visit_energies(energies, see);
            see(length);
        }
        for TreeSample { energies, base, contacts } in trees {
            visit_energies(energies, see);
            visit_wrench(base, see);
            contacts.iter_mut().for_each(|wrench| visit_wrench(wrench, see));
        }
    }
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
