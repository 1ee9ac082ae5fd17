//! What a cable touches: the scene in which it was measured.
//!
//! One rod of the scene is the cable. Its stiffness, mass, damping and friction are where a fit starts; its shape at the start and its held ends are those of the
//! data. Bodies, other rods, gravity, contact and the time step are those of the scene, whose clock is that of the data: bodies that are led along paths
//! are at each frame where their path has them at that time. Bodies that move freely start from where the scene has them in every window.

use crate::cable::Cable;
use crate::error::FitError;
use crate::guess::guess;
use crate::tracks::Tracks;
use ropewalk_rod::{Rod, RodState};
use ropewalk_sim::{End, LoadKind, Model, Party, State};

/// Natural curvature counts as uniform if it differs by less than this, 1/m.
const UNIFORM: f64 = 1e-6;
/// Fraction of the impulses at work below which a step in a scene has converged, at most: derivatives are differences.
const TOLERANCE: f64 = 1e-8;

/// A scene without the cable.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// All that stays the same; its rod number `rod` is replaced by the cable.
    pub(crate) model: Model,
    /// The start.
    pub(crate) state: State,
    /// Which of the rods the cable is.
    pub(crate) rod: usize,
    /// Radius of the cable, m.
    pub(crate) radius: f64,
}

impl Surroundings {
    /// The scene of `model`, which starts at `state`, with the rod called `rod` as the cable; the only one if no name is given.
    pub fn new(mut model: Model, state: State, rod: Option<&str>) -> Result<Self, FitError> {
        let names = model.rod_names.join(", ");
        let found = match rod {
            Some(name) => model.rod_names.iter().position(|n| n == name),
            None => (model.rods.len() == 1).then_some(0),
        };
        let rod = found.ok_or_else(|| {
            FitError::mismatch(
                match rod {
                    Some(name) => format!("there is no rod '{name}' in the scene"),
                    None => format!("the scene has {} rods", model.rods.len()),
                },
                format!("say which one the cable is; the scene has: {names}"),
            )
        })?;
        if let Some(what) = refused(&model, rod) {
            return Err(FitError::mismatch(
                format!("rod '{}' {what}", model.rod_names[rod]),
                "a fit is for a round, elastic cable that nothing but its held ends and contact acts on",
            ));
        }
        let radius = model.rods[rod].half_extents()[0][0];
        // The ends of the cable are held as they were measured.
        model.clamps.retain(|clamp| clamp.rod != rod);
        model.settings.tolerance = model.settings.tolerance.min(TOLERANCE);
        Ok(Self { model, state, rod, radius })
    }

    /// The cable to start from: stiffness, mass, damping, friction and mesh of the rod, markers as in `tracks`.
    pub fn cable(&self, title: &str, tracks: &Tracks, marker_mass: f64) -> Result<Cable, FitError> {
        let (rod, state) = (&self.model.rods[self.rod], &self.state.rods[self.rod]);
        let mut cable = guess(title, tracks, rod.line_densities()[0], marker_mass)?;
        let middle = rod.node_count() / 2;
        let length = rod.voronoi_lengths()[middle];
        let [bend_1, bend_2] = [0, 1].map(|k| rod.bend_stiffness(k)[middle] * length);
        let p = &mut cable.parameters;
        p.bending_stiffness = bend_1;
        p.bending_stiffness_2 = ((bend_2 / bend_1 - 1.0).abs() > 1e-9).then_some(bend_2);
        p.torsional_stiffness = Some(rod.twist_stiffness()[middle] * length);
        p.axial_stiffness = rod.stretch_stiffness()[0];
        (p.mass_damping, p.stiffness_damping) = (rod.mass_damping, rod.stiffness_damping);
        p.drag_across = self.quadratic_drag();
        p.natural_curvature = natural_curvature(rod, state)?;
        p.friction = Some(self.friction());
        // The scene says how long the cable is; marker tracks that were simulated do not slide on it.
        (p.length_factor, p.spacing_share) = (1.0, 0.0);
        cable.numerics.edge_length = rod.total_rest_length() / rod.edge_count() as f64;
        cable.check().map_err(|what| FitError::mismatch(what, "check the rod of the scene"))?;
        Ok(cable)
    }

    /// Coefficient of friction of the cable's surface in the scene.
    pub fn friction(&self) -> f64 {
        self.model.rod_surface(self.rod).friction
    }

    /// Whether there are bodies that move freely: they can start only where the scene starts.
    pub(crate) fn has_free_bodies(&self) -> bool {
        self.state.trees.iter().any(|tree| !tree.q.is_empty())
    }

    /// Whether any contact of the cable takes its friction from the cable's surface.
    pub(crate) fn feels_friction(&self) -> bool {
        let given = |parties: &[Party; 2]| parties.iter().any(|p| p.is_rod(self.rod));
        self.model.contact.is_some() && !self.model.pair_surfaces.iter().any(|(parties, _)| given(parties))
    }

    fn quadratic_drag(&self) -> f64 {
        let mut loads = self.model.loads.iter().filter(|load| load.rod == self.rod);
        let quadratic = loads.find_map(|load| match load.kind {
            LoadKind::Drag { quadratic, .. } => Some(quadratic),
            _ => None,
        });
        quadratic.unwrap_or(0.0)
    }
}

/// What of rod `r` a fit does not handle.
fn refused(model: &Model, r: usize) -> Option<&'static str> {
    let rod = &model.rods[r];
    let [width, height] = rod.half_extents()[0];
    let is_end = |end: &End| matches!(end, End::Rod { rod, .. } if *rod == r);
    let has_pressure = model.patches.rods.get(r).is_some_and(Option::is_some);
    let uniform = |values: &[f64]| values.windows(2).all(|w| (w[1] / w[0] - 1.0).abs() < 1e-9);
    let rules = [
        (rod.closed(), "is closed"),
        (!rod.is_linear(), "is not linearly elastic"),
        (
            width != height || rod.half_extents().iter().any(|h| *h != [width, height]),
            "is not round, or not of one size",
        ),
        (
            !uniform(rod.line_densities()) || !uniform(rod.stretch_stiffness()),
            "has a section or material that changes along it",
        ),
        (model.attachments.iter().any(|a| a.ends.iter().any(is_end)), "is attached to something"),
        (
            model.loads.iter().any(|l| l.rod == r && !matches!(l.kind, LoadKind::Drag { .. })),
            "is pushed by a load",
        ),
        (model.shape_drives.iter().any(|d| d.rod == r), "has a natural shape that is driven"),
        (has_pressure, "touches in patches"),
        (model.edge_surfaces.iter().any(|(rod, ..)| *rod == r), "has parts with a surface of their own"),
    ];
    rules.into_iter().find_map(|(applies, what)| applies.then_some(what))
}

/// Uniform natural curvature toward m₁, 1/m.
fn natural_curvature(rod: &Rod, state: &RodState) -> Result<f64, FitError> {
    let of = |values: &[f64], j: usize| values[j] / rod.voronoi_lengths()[j];
    let natural = &state.natural;
    let first = rod.stencils().next().map_or(0.0, |j| of(&natural.kappa1, j));
    let same = rod.stencils().all(|j| {
        (of(&natural.kappa1, j) - first).abs() < UNIFORM
            && of(&natural.kappa2, j).abs() < UNIFORM
            && of(&natural.tau, j).abs() < UNIFORM
    });
    same.then_some(first).ok_or_else(|| {
        FitError::mismatch(
            "the natural shape of the rod is more than a uniform curvature toward m1",
            "start from a straight rod, or give --cable, and let the fit find curls",
        )
    })
}
