//! A rope dragged round a post: the capstan law.
//!
//! Friction acts on the skin of the rope, so with ρ = r/(R + r) the tensions obey log(T₂/T₁) = aφ, a(1 + μaρ) = μ(1 −
//! ρ); for a thin rope a → μ. Steady sliding: a constant force at one end, slow drag at the other. The rope is a
//! polygon, and the ratio ripples as its nodes pass; it is averaged over the displacement by the second and the third
//! segment, and the difference of the two is the drift of the plateau.
//!
//! - `capstan/patch/20` and so on: the rope with contact in patches, the post with its default facets, against the
//!   law of a hard rope. `…/sunken`: the rope sinks into its field by a depth d, which grows with the tension, so
//!   friction acts at r − d from its axis: ρ = (r − d)/(R + r − d) varies along the rope, and the law is ∫a(ρ) dφ. At
//!   the depth d the field of a cylinder carries T/(R + r) per length on a plane, q = E(2b − (br + h² asinh(b/h))/r),
//!   h = r − d, b² = r² − h²; it makes 0.15 to 0.22 %.
//! - `capstan/rope/20` and so on (Δφ = π/20): root mean square over the wrap angles of the error relative to aφ (thin rope: μφ).
//! - `…/drift`: greatest drift, relative to aφ.
//! - `capstan/published/…`: the published protocol, whose ratio drifts through the law at the time of evaluation (2
//!   s); reported with the paper's points (rms error relative to μφ; `…/skin`: relative to aφ). Long form only.
//!
//! Paper's points: see [`PAPER`]. Short form: 5 of the 17 angles 0.4π … 2π.

use super::{Form, ValidationRow};
use crate::worlds::capstan::{Capstan, DRAG_SPEED, DT, FRICTION, POST_RADIUS, PRESSURE_MODULUS, SLACK_FORCE};
use core::f64::consts::PI;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use ropewalk_render::svg::plot::{Mark, Plot, Series};

/// log(T₂/T₁) at φ = 0.4π … 2π of the paper, for Δφ = π/10, π/20 and π/40.
const PAPER: [[f64; 17]; 3] = [
    [
        0.21790192, 0.30989827, 0.38487413, 0.38853504, 0.45930646, 0.53921486, 0.63434655, 0.69448822,
        0.70494359, 0.77586489, 0.85004823, 0.92255764, 0.93273155, 0.96074257, 1.01874796, 1.08712440,
        1.13422032,
    ],
    [
        0.23936111, 0.29528664, 0.38130768, 0.41202924, 0.50125795, 0.55611133, 0.61274358, 0.69901799,
        0.73015248, 0.81836399, 0.87249501, 0.92793558, 1.01233561, 1.04281110, 1.12841118, 1.18105125,
        1.23453308,
    ],
    [
        0.24664914, 0.31183020, 0.37719777, 0.44002706, 0.50366000, 0.56912434, 0.63540746, 0.70098627,
        0.76312293, 0.82598818, 0.89016000, 0.95466150, 1.01796187, 1.07730838, 1.13789978, 1.19955310,
        1.26133841,
    ],
];
/// π/Δφ of the paper's three meshes.
const MESHES: [u32; 3] = [10, 20, 40];

const ROPE: f64 = 1e-3;
const THIN_ROPE: f64 = POST_RADIUS / 300.0;

pub(crate) fn run(form: &Form) -> Vec<ValidationRow> {
    let angles: Vec<u32> = if form.full { (4..=20).collect() } else { vec![4, 8, 12, 16, 20] };
    let mut rows = Vec::new();
    let mut curves = Vec::new();
    let ropes = [
        ("rope", ROPE, Law::Skin, false),
        ("thin_rope", THIN_ROPE, Law::Thin, false),
        ("patch", ROPE, Law::Skin, true),
    ];
    for (name, radius, law, patch) in ropes {
        // No bound is stated for the coarsest mesh.
        for (mesh, bound) in [(10, None), (20, Some(0.015)), (40, Some(0.005))] {
            if mesh == 10 && !form.full {
                continue;
            }
            let slide = |&tenths: &u32| Slide::measure(Capstan { patch, ..capstan(tenths, mesh, radius) });
            let slides: Vec<Slide> = angles.clone().into_par_iter().map(|t| slide(&t)).collect();
            let error = |law: Law| {
                let off = |(&t, s): (&u32, &Slide)| s.log_ratio / law.log_ratio(angle(t)) - 1.0;
                let squares = angles.iter().zip(&slides).map(|both| off(both).powi(2));
                (squares.sum::<f64>() / angles.len() as f64).sqrt()
            };
            let law_error = error(law);
            let law = |tenths: u32| law.log_ratio(angle(tenths));
            let drifts = angles.iter().zip(&slides).map(|(&t, s)| (s.drift / law(t)).abs());
            let drift = drifts.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
            let case = format!("capstan/{name}/{mesh}");
            rows.push(match bound {
                Some(bound) => ValidationRow::at_most(&case, law_error, bound),
                None => ValidationRow::reported(&case, 0.0, law_error),
            });
            if patch {
                rows.push(ValidationRow::reported(format!("{case}/sunken"), 0.0, error(Law::Sunken)));
            }
            rows.push(ValidationRow::reported(format!("{case}/drift"), 0.0, drift));
            if form.full {
                rows.extend(angles.iter().zip(&slides).map(|(&t, s)| {
                    ValidationRow::reported(
                        format!("{case}/{:.1}pi", 0.1 * f64::from(t)),
                        law(t),
                        s.log_ratio,
                    )
                }));
            }
            if name == "rope" {
                curves.push((mesh, slides));
            }
        }
    }
    if form.full {
        rows.extend(MESHES.into_iter().zip(PAPER).flat_map(|(mesh, paper)| published(&angles, mesh, &paper)));
        form.keep_figure("capstan", || figure(&angles, &curves));
    }
    rows
}

/// Tenths of a half turn in rad.
fn angle(tenths: u32) -> f64 {
    0.1 * PI * f64::from(tenths)
}

/// The surface of a rope on which friction acts.
#[derive(Clone, Copy)]
enum Law {
    /// Its axis, in the limit of a thin rope.
    Thin,
    /// Its skin.
    Skin,
    /// The contact surface of its pressure field.
    Sunken,
}

impl Law {
    /// log(T₂/T₁) for a wrap angle.
    fn log_ratio(self, angle: f64) -> f64 {
        match self {
            Self::Thin => FRICTION * angle,
            Self::Skin => slope(ROPE) * angle,
            Self::Sunken => {
                let count = 200;
                let part = angle / f64::from(count);
                (0..count).fold(0.0, |log, _| {
                    let tension = SLACK_FORCE * f64::exp(log);
                    log + part * slope(ROPE - depth(tension / (POST_RADIUS + ROPE)))
                })
            }
        }
    }
}

/// Depth by which the field of the rope sinks in under a load per length (N/m), m.
fn depth(load: f64) -> f64 {
    let carried = |d: f64| {
        let h = ROPE - d;
        let b = (ROPE * ROPE - h * h).sqrt();
        PRESSURE_MODULUS * (2.0 * b - (b * ROPE + h * h * (b / h).asinh()) / ROPE)
    };
    let (mut low, mut high) = (0.0, ROPE);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if carried(middle) < load { low = middle } else { high = middle }
    }
    low
}

/// a of the capstan law for friction at `radius` from the axis of the rope.
fn slope(radius: f64) -> f64 {
    let share = radius / (POST_RADIUS + radius);
    // μρ a² + a − μ(1 − ρ) = 0, solved without cancellation.
    let (square, constant) = (FRICTION * share, FRICTION * (1.0 - share));
    2.0 * constant / (1.0 + (1.0 + 4.0 * square * constant).sqrt())
}

fn capstan(tenths: u32, mesh: u32, rope_radius: f64) -> Capstan {
    let (angle, segment_angle) = (0.1 * PI * f64::from(tenths), PI / f64::from(mesh));
    Capstan { angle, segment_angle, rope_radius, patch: false }
}

/// The plateau of one run.
struct Slide {
    /// Mean of log(T₂/T₁).
    log_ratio: f64,
    /// Its mean over the displacement by the third segment less that over the second.
    drift: f64,
}

impl Slide {
    fn measure(capstan: Capstan) -> Self {
        Self::try_measure(capstan).unwrap_or(Self { log_ratio: f64::NAN, drift: f64::NAN })
    }

    fn try_measure(capstan: Capstan) -> Option<Self> {
        let mut world = capstan.sliding()?;
        let [_, dragged] = capstan.directions();
        let steps_per_segment = (capstan.segment() / (DRAG_SPEED * DT)).round() as usize;
        let mut sums = [0.0; 3];
        for sum in &mut sums {
            for _ in 0..steps_per_segment {
                world.step()?;
                let pull = world.sensed().clamp_wrenches()[0].force.dot(dragged);
                *sum += (pull / SLACK_FORCE).ln();
            }
        }
        let [_, second, third] = sums.map(|sum| sum / steps_per_segment as f64);
        Some(Self { log_ratio: 0.5 * (second + third), drift: third - second })
    }
}

/// The published protocol over all angles: rms errors relative to μφ, ours and the paper's, and relative to aφ.
fn published(angles: &[u32], mesh: u32, paper: &[f64; 17]) -> Vec<ValidationRow> {
    let rms = |values: &[f64], slope: f64| {
        let law = |tenths: u32| slope * 0.1 * PI * f64::from(tenths);
        let squares = angles.iter().zip(values).map(|(&t, v)| (v / law(t) - 1.0).powi(2));
        (squares.sum::<f64>() / angles.len() as f64).sqrt()
    };
    let ours: Vec<f64> = angles
        .to_vec()
        .into_par_iter()
        .map(|tenths| read_after_two_seconds(&capstan(tenths, mesh, ROPE)).unwrap_or(f64::NAN))
        .collect();
    let case = format!("capstan/published/{mesh}");
    vec![
        ValidationRow::reported(&case, rms(paper, FRICTION), rms(&ours, FRICTION)),
        ValidationRow::reported(format!("{case}/skin"), 0.0, rms(&ours, slope(ROPE))),
    ]
}

/// log(T₂/T₁) averaged over the last 50 steps of 2 s.
fn read_after_two_seconds(capstan: &Capstan) -> Option<f64> {
    let mut world = capstan.published()?;
    let steps = (2.0 / DT).round() as usize;
    let mut ratio = 0.0;
    for n in 0..steps {
        world.step()?;
        if n + 50 >= steps {
            let efforts = world.sensed().actuator_efforts();
            ratio += (efforts[1] / efforts[0]).abs() / 50.0;
        }
    }
    Some(ratio.ln())
}

fn figure(angles: &[u32], curves: &[(u32, Vec<Slide>)]) -> String {
    let colors = ["#c0392b", "#2c7fb8", "#31a354"];
    let place = |tenths: u32| 0.1 * f64::from(tenths);
    let mut plot = Plot::new("Capstan: steady sliding", "wrap angle φ/π", "log(T₂/T₁)");
    let line = |slope: f64| vec![(0.4, slope * 0.4 * PI), (2.0, slope * 2.0 * PI)];
    plot.add(Series::line("aφ, friction on the skin", "#333333", line(slope(ROPE))));
    plot.add(Series::line("μφ, thin rope", "#aaaaaa", line(FRICTION)));
    for (((mesh, slides), color), paper) in curves.iter().zip(colors).zip(PAPER) {
        let ours = angles.iter().zip(slides).map(|(&t, s)| (place(t), s.log_ratio)).collect();
        plot.add(Series::marks(format!("Δφ = π/{mesh}"), color, Mark::Disc, ours));
        let theirs = (4..=20).zip(paper).map(|(t, y)| (place(t), y)).collect();
        plot.add(Series::marks(format!("paper, π/{mesh}"), color, Mark::Cross, theirs));
    }
    plot.draw()
}
