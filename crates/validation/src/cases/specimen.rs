//! Rods of stiffness and length near one, and their evaluation in cases.

use crate::worlds::World;
use glam::DVec3;
use ropewalk_rod::{Material, RestShape, Rod, RodBuilder, RodState, Section, SectionProperties};
use ropewalk_sim::{Hold, Load, LoadKind, Model, Motion, Settings, State, TimeFunction};

/// EA over EI/L²: stiff enough for stretch to be below the tolerance of any case.
pub(crate) const INEXTENSIBLE: f64 = 1e8;

/// Stiffness and inertia with ρA = 1 and little spin inertia.
pub(crate) fn section(stretch: f64, bend: [f64; 2], twist: f64) -> Section {
    let properties = SectionProperties { stretch, bend, twist, line_density: 1.0, spin_inertia: 1e-4 };
    Section::Stiffness { properties, radius: 0.01 }
}

/// A world of one rod through `nodes` with rest shape `rest`; m₁ starts along `director`. `None` if it cannot be built.
pub(crate) fn specimen(
    nodes: Vec<DVec3>,
    closed: bool,
    section: Section,
    rest: RestShape,
    director: DVec3,
) -> Option<World> {
    // The material is not read where the section gives its stiffness outright.
    let mut builder = RodBuilder::new(nodes, section, Material::from_poisson(1.0, 0.5, 1.0));
    builder.closed = closed;
    builder.rest = rest;
    builder.director = Some(director);
    let settings = Settings { tolerance: 1e-10, ..Settings::default() };
    let mut world = World::of(Model { settings, ..Model::default() }, State::default());
    world.add_rod(builder, 0.0)?;
    Some(world)
}

/// Operations of cases on a world of one rod.
impl World {
    /// Clamps part of the rod at its present position.
    pub(crate) fn hold(&mut self, hold: Hold) -> &mut Self {
        self.clamp(0, hold, Motion { axis: DVec3::X, ..Motion::default() });
        self
    }

    /// Replaces all loads by a dead force on a node.
    pub(crate) fn load(&mut self, node: usize, force: DVec3) -> &mut Self {
        let kind = LoadKind::Point { node, force };
        self.model.loads =
            vec![Load { name: "load".to_owned(), rod: 0, kind, scale: TimeFunction::Constant(1.0) }];
        self
    }

    /// Force and torque of clamp `index` in the last step.
    pub(crate) fn wrench(&self, index: usize) -> ropewalk_sim::Wrench {
        self.sensed().clamp_wrenches()[index]
    }

    pub(crate) fn rod(&self) -> &Rod {
        &self.model.rods[0]
    }

    pub(crate) fn shape(&self) -> &RodState {
        &self.state.rods[0]
    }

    /// The degrees of freedom of the clamps.
    pub(crate) fn held(&self) -> Vec<[bool; 4]> {
        let mut held = vec![[false; 4]; self.rod().node_count()];
        for clamp in &self.model.clamps {
            let mut place = |node: usize| held[node][..3].fill(true);
            match clamp.hold {
                Hold::Node(node) => place(node),
                Hold::Edge(e) | Hold::EdgeFreeSpin(e) => {
                    place(e);
                    place(self.rod().edge_end(e));
                }
                Hold::Spin(_) => {}
            }
            if let Hold::Edge(e) | Hold::Spin(e) = clamp.hold {
                held[e][3] = true;
            }
        }
        held
    }

    /// Whether the equilibrium is a strict minimum of the energy, with `shift` allowing for rigid motions.
    pub(crate) fn is_stable(&self, shift: f64) -> bool {
        ropewalk_rod::modes::is_stable(self.rod(), self.shape(), &self.held(), shift)
    }
}

/// Nodes of a rod of length 1 from the origin along `direction`, clamped in the middle of its first edge: the first node
/// is half an edge before the origin, the last at 1.
pub(crate) fn clamped_line(segments: u32, direction: DVec3) -> Vec<DVec3> {
    let h = 1.0 / (f64::from(segments) - 0.5);
    (0..=segments).map(|i| direction * (h * (f64::from(i) - 0.5))).collect()
}

/// The value in [`low`, `high`] at which `holds` changes from true to false, to a part in 10⁹; NaN if it is the same
/// at both ends or fails.
pub(crate) fn threshold(mut low: f64, mut high: f64, mut holds: impl FnMut(f64) -> Option<bool>) -> f64 {
    if holds(low) != Some(true) || holds(high) != Some(false) {
        return f64::NAN;
    }
    while high - low > 1e-9 * high.abs() {
        let middle = 0.5 * (low + high);
        match holds(middle) {
            Some(true) => low = middle,
            Some(false) => high = middle,
            None => return f64::NAN,
        }
    }
    0.5 * (low + high)
}
