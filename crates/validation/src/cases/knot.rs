//! An overhand knot of order n is pulled tight.
//!
//! Each end moves outward at 0.4 m/s (prescribed; see [`crate::worlds::knot`]).
//!
//! - `knot/n/dt/determinant`: knot determinant at the end, and every few steps before: 2n + 1 as long as no strand
//!   has passed through another (see [`ropewalk_rod::knot_determinant`]); the row fails if a step fails or the
//!   determinant ever differs.
//! - `…/writhe_jump`: greatest change of the writhe between two samples 0.8 mm of pull apart; a strand that passes
//!   through another changes it by 2 at once.
//! - `…/overlap`: deepest overlap up to 0.7 s, relative to the diameter; judged at δt ≤ 2.5e-4 s. From there the pull
//!   continues until the ends are 1.0 m apart (`…/tight_overlap`, reported).
//! - `…/snap_time`, `…/snap_shortening`, `…/snap_writhe`: the snap of the loop from round to collapsed, which winds
//!   its strands about one another within milliseconds: the time of the greatest change of the writhe between
//!   samples, the end shortening then and that change, after initial vibrations have decayed; reported, long form
//!   only. For n = 1 the greatest change is that of the steady pull: it does not snap.
//!
//! Short form: n = 1 at δt = 1e-4 to 0.7 s, n = 4 at 5e-4 and 1e-3 until the ends are 1.0 m apart. Long form: n = 1…4
//! at 1e-4, 2.5e-4, 5e-4 and 1e-3, all until 1.0 m, and the figure of pull against shortening; with `--knots DIR` the same
//! from the published shapes (`knot/published/…`).

use super::{Form, ValidationRow};
use crate::worlds::World;
use crate::worlds::knot::{DIAMETER, END_DISTANCE, KnottedRope, SPEED};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use ropewalk_geometry::segment::closest_parameters;
use ropewalk_render::svg::plot::{Plot, Series};
use ropewalk_rod::knot_determinant::determinant;
use ropewalk_sim::measure;
use std::path::Path;

/// End of the published pull, s.
const PUBLISHED_TIME: f64 = 0.7;
/// Distance of the ends at which the long pull stops, m.
const LONG_DISTANCE: f64 = 1.0;
/// Time between samples, s: 0.8 mm of pull.
const LOOK: f64 = 1e-3;
/// Steps of the long form, s.
const STEPS: [f64; 4] = [1e-4, 2.5e-4, 5e-4, 1e-3];
/// The initial state is stressed, and vibrates: snaps are detected after this time, s.
const RUNG_OUT: f64 = 0.1;

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let long = (LONG_DISTANCE - END_DISTANCE) / (2.0 * SPEED);
    let plan: Vec<(u32, f64, f64)> = if form.full {
        (1..=4).flat_map(|order| STEPS.map(|dt| (order, dt, long))).collect()
    } else {
        vec![(1, 1e-4, PUBLISHED_TIME), (4, 5e-4, long), (4, 1e-3, long)]
    };
    let pulls: Vec<(u32, f64, Pull)> = plan
        .into_par_iter()
        .map(|(order, dt, seconds)| {
            (order, dt, Pull::of(KnottedRope::published(order).world(SPEED, dt), order, dt, seconds))
        })
        .collect();
    if form.full {
        form.keep_figure("knot", || figure(&pulls));
    }
    let own = pulls.iter().flat_map(|(order, dt, pull)| pull.rows("knot", *order, *dt, form.full));
    let mut rows: Vec<ValidationRow> = own.collect();
    if let Some(directory) = &form.knots {
        rows.extend(run_published(directory, form.say));
    }
    rows
}

/// The published shapes: files of 301 nodes, which are not part of this project.
fn run_published(directory: &Path, say: fn(&str)) -> Vec<ValidationRow> {
    let (found, absent): (Vec<_>, Vec<_>) =
        (1..=4).map(|order| (order, directory.join(format!("n{order}.txt")))).partition(|f| f.1.is_file());
    for (_, file) in absent {
        say(&format!("skipped: there is no {}", file.display()));
    }
    let plan: Vec<_> = found.iter().flat_map(|(order, file)| STEPS.map(|dt| (*order, file, dt))).collect();
    let rows = plan.into_par_iter().flat_map_iter(|(order, file, dt)| {
        let world = KnottedRope::published(order).world_through(file, SPEED, dt);
        let distance = world.as_ref().map_or(END_DISTANCE, World::end_distance);
        let seconds = (LONG_DISTANCE - distance) / (2.0 * SPEED);
        Pull::of(world, order, dt, seconds).rows("knot/published", order, dt, true)
    });
    rows.collect()
}

/// Results of one pull.
#[derive(Debug, Default)]
struct Pull {
    /// Time reached, s; less than requested if a step failed.
    time: f64,
    seconds: f64,
    /// Determinant at the end, or the first one that was wrong.
    determinant: f64,
    writhe_jump: f64,
    /// Deepest overlaps up to 0.7 s and over all, m.
    overlap: f64,
    tight_overlap: f64,
    snap: Snap,
    /// End shortening (m) and pull (N) of each sample.
    forces: Vec<(f64, f64)>,
}

/// The greatest change of the writhe between samples.
#[derive(Debug, Default)]
struct Snap {
    /// When, s.
    time: f64,
    /// End shortening then, m.
    shortening: f64,
    /// The change in turns.
    writhe: f64,
}

impl Pull {
    fn of(world: Option<World>, order: u32, dt: f64, seconds: f64) -> Self {
        let mut pull = Self { seconds, determinant: f64::NAN, ..Self::default() };
        let Some(mut world) = world else { return pull };
        let expected = f64::from(2 * order + 1);
        let steps_per_look = (LOOK / dt).round().max(1.0) as usize;
        let mut writhe = measure::writhe(&world.model, &world.state, 0);
        for n in 1..=(seconds / dt).round() as usize {
            if world.step().is_none() {
                return pull;
            }
            pull.time = world.state.time;
            let mut overlap = world.deepest_overlap();
            if n % steps_per_look == 0 {
                overlap = overlap.max(DIAMETER - least_distance(&world));
                let now = measure::writhe(&world.model, &world.state, 0);
                let change = (now - writhe).abs();
                pull.writhe_jump = pull.writhe_jump.max(change);
                writhe = now;
                let shortening = measure::length(&world.model, &world.state, 0) - world.end_distance();
                pull.forces.push((shortening, world.pull()));
                if pull.time > RUNG_OUT && change > pull.snap.writhe {
                    pull.snap = Snap { time: pull.time, shortening, writhe: change };
                }
                let seen = determinant(&measure::positions(&world.state, 0));
                // The first wrong one stays.
                if n == steps_per_look || pull.determinant == expected {
                    pull.determinant = seen;
                }
            }
            pull.tight_overlap = pull.tight_overlap.max(overlap);
            if pull.time <= PUBLISHED_TIME {
                pull.overlap = pull.overlap.max(overlap);
            }
        }
        pull
    }

    fn rows(&self, name: &str, order: u32, dt: f64, full: bool) -> Vec<ValidationRow> {
        let case = |what: &str| format!("{name}/{order}/{dt:e}/{what}");
        let expected = f64::from(2 * order + 1);
        let completed = self.time > self.seconds - 0.5 * dt;
        let mut topology = ValidationRow::new(
            case("determinant"),
            expected,
            self.determinant,
            self.determinant - expected,
            0.0,
        );
        topology.pass = topology.pass.map(|pass| pass && completed);
        let mut rows = vec![
            topology,
            ValidationRow::new(case("time"), self.seconds, self.time, self.seconds - self.time, 0.5 * dt),
            ValidationRow::at_most(case("writhe_jump"), self.writhe_jump, 0.5),
        ];
        let overlap = self.overlap / DIAMETER;
        rows.push(match dt <= 2.5e-4 {
            true => ValidationRow::at_most(case("overlap"), overlap, 0.05),
            false => ValidationRow::reported(case("overlap"), 0.0, overlap),
        });
        if self.seconds > PUBLISHED_TIME {
            rows.push(ValidationRow::reported(case("tight_overlap"), 0.0, self.tight_overlap / DIAMETER));
        }
        if full {
            rows.push(ValidationRow::reported(case("snap_time"), 0.0, self.snap.time));
            rows.push(ValidationRow::reported(case("snap_shortening"), 0.0, self.snap.shortening));
            rows.push(ValidationRow::reported(case("snap_writhe"), 0.0, self.snap.writhe));
        }
        rows
    }
}

/// Least distance of the centerline from itself, without neighbors along the rope, over all pairs of edges.
fn least_distance(world: &World) -> f64 {
    let rod = &world.model.rods[0];
    let points = measure::positions(&world.state, 0);
    // Those nearer along the rope than half the circumference of a loop of the rope's own thickness, and a segment.
    let apart = core::f64::consts::FRAC_PI_2 * DIAMETER + rod.rest_lengths()[0];
    let skipped = (apart / rod.rest_lengths()[0]).ceil() as usize + 1;
    let mut least = f64::INFINITY;
    for i in 0..rod.edge_count() {
        for j in i + skipped..rod.edge_count() {
            let (a, b, c, d) = (points[i], points[i + 1], points[j], points[j + 1]);
            let (s, t) = closest_parameters(a, b, c, d);
            least = least.min((a + s * (b - a) - c - t * (d - c)).length());
        }
    }
    least
}

fn figure(pulls: &[(u32, f64, Pull)]) -> String {
    let colors = ["#2c7fb8", "#31a354", "#d95f0e", "#c0392b"];
    let mut plot = Plot::new("Overhand knots: pull against end shortening, δt = 1e-4 s", "e/m", "F/N");
    let finest = pulls.iter().filter(|(_, dt, _)| *dt <= 1e-4);
    for ((order, _, pull), color) in finest.zip(colors) {
        // After the snap of the tight knot the pull is due to stretch, and would dwarf all before.
        let points = pull.forces.iter().copied().filter(|(_, f)| *f < 2.0).collect();
        plot.add(Series::line(format!("n = {order}"), color, points));
    }
    plot.draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn it_tells_the_order_of_a_knot() {
        for order in 1..=4 {
            let world = KnottedRope::published(order).world(0.0, 1e-3).unwrap();
            let mut points = measure::positions(&world.state, 0);
            assert_eq!(determinant(&points), f64::from(2 * order + 1));
            // Its mirror image is another knot of the same determinant.
            for p in &mut points {
                p.y = -p.y;
            }
            assert_eq!(determinant(&points), f64::from(2 * order + 1));
        }
        let straight: Vec<DVec3> =
            (0..9).map(|i| DVec3::new(f64::from(i), 0.1 * f64::from(i % 2), 0.0)).collect();
        assert_eq!(determinant(&straight), 1.0);
    }

    #[test]
    fn a_strand_that_passes_through_the_other_unties_one_turn() {
        let world = KnottedRope::published(2).world(0.0, 1e-3).unwrap();
        let mut points = measure::positions(&world.state, 0);
        // The first strand crosses over the second where it is farthest aside: there it is moved to the other side.
        let first = &mut points[..100];
        let top = first.iter().copied().max_by(|a, b| a.y.abs().total_cmp(&b.y.abs())).unwrap();
        for p in first.iter_mut().filter(|p| (p.x - top.x).abs() < 5e-3) {
            p.y -= 4.0 * top.y;
        }
        assert_eq!(determinant(&points), 3.0);
    }
}
