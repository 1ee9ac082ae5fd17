//! Claims from their description; whether each fits what it speaks of.
//!
//! A claim that names what is not there is an error. One whose theory does not cover the scene (gravity on
//! a column that Euler's formula knows without it, for instance after `--set`) is left out with a warning.

use super::{Claim, ClaimKind};
use crate::build::Builder;
use crate::curve::round::unit;
use crate::error::SceneError;
use crate::spec::{ClaimSpec, RodClaimSpec};
use glam::DVec3;
use ropewalk_sim::{Hold, Load, LoadKind, Model, Scheme, State};

/// How far energy may rise above its start and the work done, relative.
const ENERGY_TOLERANCE: f64 = 1e-6;

/// A claim and its tolerance, or what its theory would need.
type Fit = Result<(ClaimKind, f64), &'static str>;

impl Claim {
    /// The claims of a scene, and the one that every scene makes under backward Euler: energy within work.
    pub(crate) fn from_spec(
        builder: &mut Builder<'_>,
        model: &Model,
        state: &State,
    ) -> Result<Vec<Self>, SceneError> {
        let mut claims = Vec::new();
        for (name, spec) in &builder.spec.claim {
            match (Fitter { builder, model, state, name }).fit(spec)? {
                Ok((kind, tolerance)) => claims.push(Self { name: name.clone(), kind, tolerance }),
                Err(needs) => builder.warnings.push(format!("claim `{name}` is left out: it needs {needs}")),
            }
        }
        if model.settings.scheme == Scheme::BACKWARD_EULER {
            claims.push(Self {
                name: "energy_within_work".into(),
                kind: ClaimKind::Energy,
                tolerance: ENERGY_TOLERANCE,
            });
        }
        Ok(claims)
    }
}

struct Fitter<'a, 'b> {
    builder: &'a Builder<'b>,
    model: &'a Model,
    state: &'a State,
    name: &'a str,
}

impl Fitter<'_, '_> {
    fn fit(&self, spec: &ClaimSpec) -> Result<Fit, SceneError> {
        Ok(match spec {
            ClaimSpec::ClampedRod(c) => {
                let clamp = self.clamp("clamped_rod", "clamp", &c.clamp)?;
                let Some(along) = unit(c.along) else {
                    let key = ["claim", self.name, "clamped_rod", "along"];
                    return Err(self.builder.error(&key, "this direction is zero").expected("a direction"));
                };
                self.clamped_rod(clamp).map(|()| (ClaimKind::ClampedRod { clamp, along }, c.tolerance))
            }
            ClaimSpec::EulerColumn(c) => {
                let clamp = self.clamp("euler_column", "clamp", &c.clamp)?;
                let key = ["claim", self.name, "euler_column", "load"];
                let load = self.builder.index("load", self.builder.spec.load.keys(), &key, &c.load)?;
                self.euler_column(clamp, load).map(|()| (ClaimKind::EulerColumn { clamp, load }, c.tolerance))
            }
            ClaimSpec::ShaftTorque(c) => {
                let turned = self.clamp("shaft_torque", "turned", &c.turned)?;
                let fixed = self.clamp("shaft_torque", "fixed", &c.fixed)?;
                self.shaft(turned, fixed).map(|()| (ClaimKind::ShaftTorque { turned, fixed }, c.tolerance))
            }
            ClaimSpec::NaturalCircle(c) => {
                let rod = self.rod("natural_circle", c)?;
                self.free_loop(rod).map(|()| (ClaimKind::NaturalCircle { rod }, c.tolerance))
            }
            ClaimSpec::MichellRing(c) => {
                let rod = self.rod("michell_ring", c)?;
                self.michell_ring(rod).map(|()| (ClaimKind::MichellRing { rod }, c.tolerance))
            }
            ClaimSpec::MeanTension(c) => {
                let rod = self.rod("mean_tension", c)?;
                self.mean_tension(rod).map(|()| (ClaimKind::MeanTension { rod }, c.tolerance))
            }
            ClaimSpec::ClampImpulse(c) => {
                let rod = self.rod("clamp_impulse", c)?;
                let loaded = self.loads(rod).next().is_some();
                if loaded {
                    Err("a rod without loads")
                } else {
                    Ok((ClaimKind::ClampImpulse { rod }, c.tolerance))
                }
            }
            ClaimSpec::AtRest(c) => Ok((ClaimKind::AtRest { rod: self.rod("at_rest", c)? }, c.tolerance)),
        })
    }

    fn rod(&self, kind: &str, spec: &RodClaimSpec) -> Result<usize, SceneError> {
        self.builder.rod_index(&["claim", self.name, kind, "rod"], &spec.rod)
    }

    fn clamp(&self, kind: &str, key: &str, clamp: &str) -> Result<usize, SceneError> {
        let words = ["claim", self.name, kind, key];
        self.builder.index("clamp", self.builder.spec.clamp.keys(), &words, clamp)
    }

    fn loads(&self, rod: usize) -> impl Iterator<Item = &Load> {
        self.model.loads.iter().filter(move |l| l.rod == rod)
    }

    /// Whether a load is gone at the end of the run.
    fn is_gone(&self, load: &Load) -> bool {
        !matches!(load.kind, LoadKind::Drag { .. })
            && load.scale.value(self.builder.spec.time.duration) == 0.0
    }

    fn without_gravity(&self) -> Result<(), &'static str> {
        if self.model.gravity == DVec3::ZERO { Ok(()) } else { Err("gravity = [0.0, 0.0, 0.0]") }
    }

    fn naturally_straight(&self, rod: usize) -> Result<(), &'static str> {
        let natural = &self.state.rods[rod].natural;
        let driven = self.model.shape_drives.iter().any(|d| d.rod == rod);
        let zero = |v: &[f64]| v.iter().all(|x| *x == 0.0);
        if !driven && zero(&natural.kappa1) && zero(&natural.kappa2) && zero(&natural.tau) {
            Ok(())
        } else {
            Err("a rod that is straight at rest")
        }
    }

    /// Position, tangent and twist of an end of an open rod are held, and nothing else of it.
    fn clamped_at_an_end(&self, clamp: usize) -> Result<(), &'static str> {
        let c = &self.model.clamps[clamp];
        let rod = &self.model.rods[c.rod];
        let at_end = matches!(c.hold, Hold::Edge(e) if e == 0 || e + 1 == rod.edge_count());
        let alone = self.model.clamps.iter().filter(|other| other.rod == c.rod).count() == 1;
        if at_end && alone && !rod.closed() && rod.edge_count() > 1 && c.release_time == f64::INFINITY {
            Ok(())
        } else {
            Err("a clamp that holds everything at an end of an open rod, for good, and no other on it")
        }
    }

    fn clamped_rod(&self, clamp: usize) -> Result<(), &'static str> {
        self.clamped_at_an_end(clamp)?;
        // Drag is nothing at rest in a fluid at rest.
        let known = |l: &Load| match l.kind {
            LoadKind::Point { .. } => true,
            LoadKind::Drag { flow, .. } => flow == DVec3::ZERO,
            _ => self.is_gone(l),
        };
        if self.loads(self.model.clamps[clamp].rod).all(known) {
            Ok(())
        } else {
            Err("gravity and point loads alone")
        }
    }

    fn euler_column(&self, clamp: usize, load: usize) -> Result<(), &'static str> {
        self.clamped_at_an_end(clamp)?;
        self.without_gravity()?;
        let (c, l) = (&self.model.clamps[clamp], &self.model.loads[load]);
        self.naturally_straight(c.rod)?;
        let tip = if c.hold == Hold::Edge(0) { self.model.rods[c.rod].node_count() - 1 } else { 0 };
        if l.rod != c.rod || !matches!(l.kind, LoadKind::Point { node, .. } if node == tip) {
            return Err("a point load at the free end of the clamp's rod");
        }
        if self.loads(c.rod).all(|other| other.name == l.name || self.is_gone(other)) {
            Ok(())
        } else {
            Err("all other loads gone by the end of the run")
        }
    }

    fn shaft(&self, turned: usize, fixed: usize) -> Result<(), &'static str> {
        let (a, b) = (&self.model.clamps[turned], &self.model.clamps[fixed]);
        let holds_edge = |c: &ropewalk_sim::Clamp| matches!(c.hold, Hold::Edge(_));
        if turned == fixed || a.rod != b.rod || !holds_edge(a) || !holds_edge(b) {
            return Err("two clamps on one rod that hold everything");
        }
        self.without_gravity()?;
        if self.loads(a.rod).all(|l| self.is_gone(l)) { Ok(()) } else { Err("a rod without loads") }
    }

    fn free_loop(&self, rod: usize) -> Result<(), &'static str> {
        self.without_gravity()?;
        if !self.model.rods[rod].closed() {
            return Err("a closed rod");
        }
        if self.model.clamps.iter().any(|c| c.rod == rod) || !self.loads(rod).all(|l| self.is_gone(l)) {
            return Err("a rod without clamps, and without loads at the end");
        }
        Ok(())
    }

    fn michell_ring(&self, rod: usize) -> Result<(), &'static str> {
        self.free_loop(rod)?;
        self.naturally_straight(rod)?;
        let r = &self.model.rods[rod];
        if r.bend_stiffness(0) == r.bend_stiffness(1) { Ok(()) } else { Err("a round section") }
    }

    fn mean_tension(&self, rod: usize) -> Result<(), &'static str> {
        let mut clamps = self.model.clamps.iter().filter(|k| k.rod == rod);
        let one_node = clamps.next().is_some_and(|k| {
            let still = k.motion.translation.iter().all(|f| f.is_constant() && f.value(0.0) == 0.0);
            matches!(k.hold, Hold::Node(_)) && still && k.release_time == f64::INFINITY
        });
        if !one_node || clamps.next().is_some() {
            return Err("one clamp, of the position of a node that does not move");
        }
        if self.loads(rod).next().is_some() || self.model.rods[rod].stiffness_damping > 0.0 {
            return Err("a rod without loads and stiffness damping");
        }
        Ok(())
    }
}
