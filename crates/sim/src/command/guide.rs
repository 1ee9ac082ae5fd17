//! A guide: where a clamp, a body or an end effector is to be at each time, as asked for between steps.
//!
//! A target that is to be reached over a span of time is approached on a cubic from the present pose and velocity, so
//! that velocity is continuous whenever targets are set. With u = (t − t₀)/T,
//!
//! ```text
//!   x(u) = h₀₀ x₀ + h₁₀ T v₀ + h₀₁ x₁ + h₁₁ T v₁        (Hermite)
//! ```
//!
//! for positions, and likewise for the rotation vector φ from the first orientation, φ̇ = J⁻¹(φ) ω at its end. What v₁
//! is decides what the motion looks like:
//!
//! - a single target: v₁ = 0, from rest to rest;
//! - a *stream* (targets that follow one another without a pause, each within [`STREAM_SPAN`]): the mean velocity c of
//!   this span and half of its change from the last, v₁ = c + ½ (c − c₋), which is the velocity at the end of the span
//!   up to second order. If the stream ends, the guide brakes over a span as long as the last and comes to rest at the
//!   last target.

use glam::{DQuat, DVec3};
use ropewalk_linalg::Pose;
use ropewalk_linalg::pose::{exp_rotation, log_rotation};

/// Targets that follow one another, each to be reached within this time in s, are samples of one motion (10 Hz or more),
/// not places to stop at.
pub const STREAM_SPAN: f64 = 0.1;

/// Velocity and angular velocity, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Velocity of the origin in m/s.
    pub linear: DVec3,
    /// Angular velocity in rad/s.
    pub angular: DVec3,
}

impl Twist {
    fn map(self, other: Self, f: impl Fn(DVec3, DVec3) -> DVec3) -> Self {
        Self { linear: f(self.linear, other.linear), angular: f(self.angular, other.angular) }
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

/// What a guide does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GuideKind {
    /// Goes to a pose and stays there.
    #[default]
    Reach,
    /// Moves on with a velocity.
    Move,
    /// Goes back to the motion of the scene: `from` is the difference from it, which vanishes.
    Return,
}

/// The motion that was asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Guide {
    /// What it does.
    pub kind: GuideKind,
    /// When it began in s.
    pub begin: f64,
    /// When the target is reached in s.
    pub end: f64,
    /// How long it takes to come to rest after that in s.
    pub brake: f64,
    /// The pose at `begin`.
    pub from: Pose,
    /// The pose at `end`.
    pub to: Pose,
    /// The velocity at `begin`.
    pub start: Twist,
    /// The velocity at `end`.
    pub finish: Twist,
}

impl Guide {
    /// At `pose` always.
    pub fn at(pose: Pose) -> Self {
        Self { from: pose, to: pose, ..Self::default() }
    }

    /// From `from` to `to` in a straight line within `span` s from `now` on, and at rest from then on.
    pub fn straight(now: f64, span: f64, from: Pose, to: Pose) -> Self {
        let mut out = Self { begin: now, end: now + span, from, to, ..Self::default() };
        out.start = out.mean();
        out.finish = out.start;
        out
    }

    /// From `from`, moving as `start` says, to `to` over `span` s. Ends with the velocity `finish`; if none is given, at
    /// rest, or going on if `before` makes it part of a stream.
    pub fn reach(
        (now, span): (f64, f64),
        (from, start): (Pose, Twist),
        to: Pose,
        finish: Option<Twist>,
        before: Option<&Self>,
    ) -> Self {
        let mut out = Self { begin: now, end: now + span, from, to, start, ..Self::default() };
        let mean = out.mean();
        let stream = before.filter(|b| span <= STREAM_SPAN && b.leads_to(now));
        out.finish = match (finish, stream) {
            (Some(given), _) => given,
            (None, None) => Twist::default(),
            (None, Some(before)) => mean.map(before.mean(), |now, then| {
                // At most half of the mean itself, so that a source that stops is not overshot.
                now + (0.5 * (now - then)).clamp_length_max(0.5 * now.length())
            }),
        };
        out.brake = if out.finish == Twist::default() { 0.0 } else { span };
        out
    }

    /// From `from` on with a constant velocity.
    pub fn moving(now: f64, from: Pose, velocity: Twist) -> Self {
        Self { kind: GuideKind::Move, begin: now, end: now, from, start: velocity, ..Self::default() }
    }

    /// From the pose `from`, moving as `start` says, back to a motion that is at `scene` and moves as `scene_velocity` says,
    /// over `span` s.
    pub fn back(
        (now, span): (f64, f64),
        (from, start): (Pose, Twist),
        (scene, scene_velocity): (Pose, Twist),
    ) -> Self {
        let turned = (from.rotation * scene.rotation.conjugate()).normalize();
        Self {
            kind: GuideKind::Return,
            begin: now,
            end: now + span,
            from: Pose::new(from.position - scene.position, turned),
            start: start.map(scene_velocity, |a, b| a - b),
            ..Self::default()
        }
    }

    /// Whether it has given way to the motion of the scene by `time`.
    pub fn is_over(&self, time: f64) -> bool {
        self.kind == GuideKind::Return && time >= self.end
    }

    /// Whether a target that is set at `now` continues this one: it is still on its way, or has only just arrived.
    fn leads_to(&self, now: f64) -> bool {
        let span = self.end - self.begin;
        // A sample that comes late by up to the span is still one of the stream.
        self.kind == GuideKind::Reach && span > 0.0 && span <= STREAM_SPAN && now <= self.end + 1.01 * span
    }

    /// Mean velocity from `from` to `to`.
    pub fn mean(&self) -> Twist {
        let span = self.end - self.begin;
        if span <= 0.0 {
            return Twist::default();
        }
        let turn = log_rotation(self.to.rotation * self.from.rotation.conjugate());
        Twist { linear: (self.to.position - self.from.position) / span, angular: turn / span }
    }

    /// The pose at time `t` (s); `scene` is that which the scene prescribes.
    pub fn pose(&self, t: f64, scene: impl FnOnce() -> Pose) -> Pose {
        match self.kind {
            GuideKind::Reach => self.reaching(t),
            GuideKind::Move => {
                let time = t - self.begin;
                let turn = exp_rotation(self.start.angular * time);
                Pose::new(
                    self.from.position + self.start.linear * time,
                    (turn * self.from.rotation).normalize(),
                )
            }
            GuideKind::Return => {
                let scene = scene();
                if t >= self.end {
                    return scene;
                }
                let span = self.end - self.begin;
                let path = Hermite::at((t - self.begin) / span, span);
                let turn = log_rotation(self.from.rotation);
                let turn =
                    path.between(turn, inverse_jacobian(turn, self.start.angular), DVec3::ZERO, DVec3::ZERO);
                let shift = path.between(self.from.position, self.start.linear, DVec3::ZERO, DVec3::ZERO);
                Pose::new(scene.position + shift, (exp_rotation(turn) * scene.rotation).normalize())
            }
        }
    }

    fn reaching(&self, t: f64) -> Pose {
        let span = self.end - self.begin;
        if t < self.end {
            let path = Hermite::at((t - self.begin) / span, span);
            let turn = log_rotation(self.to.rotation * self.from.rotation.conjugate());
            let rate = inverse_jacobian(turn, self.finish.angular);
            let turn = path.between(DVec3::ZERO, self.start.angular, turn, rate);
            let position =
                path.between(self.from.position, self.start.linear, self.to.position, self.finish.linear);
            return Pose::new(position, (exp_rotation(turn) * self.from.rotation).normalize());
        }
        if t >= self.end + self.brake {
            return self.to;
        }
        let path = Hermite::at((t - self.end) / self.brake, self.brake);
        let turn = path.between(DVec3::ZERO, self.finish.angular, DVec3::ZERO, DVec3::ZERO);
        let x = self.to.position;
        let position = path.between(x, self.finish.linear, x, DVec3::ZERO);
        Pose::new(position, (exp_rotation(turn) * self.to.rotation).normalize())
    }

    /// Its numbers, for files: kind, times, poses (position, quat_xyzw), velocities.
    pub fn numbers(&self) -> [f64; GUIDE_NUMBERS] {
        let mut out = [0.0; GUIDE_NUMBERS];
        out[0] = match self.kind {
            GuideKind::Reach => 0.0,
            GuideKind::Move => 1.0,
            GuideKind::Return => 2.0,
        };
        out[1..4].copy_from_slice(&[self.begin, self.end, self.brake]);
        for (pose, place) in [(&self.from, 4), (&self.to, 11)] {
            out[place..place + 3].copy_from_slice(&pose.position.to_array());
            out[place + 3..place + 7].copy_from_slice(&pose.rotation.to_array());
        }
        for (twist, place) in [(&self.start, 18), (&self.finish, 24)] {
            out[place..place + 3].copy_from_slice(&twist.linear.to_array());
            out[place + 3..place + 6].copy_from_slice(&twist.angular.to_array());
        }
        out
    }

    /// The inverse of [`Self::numbers`]; `x` has as many.
    pub fn from_numbers(x: &[f64]) -> Self {
        let pose = |x: &[f64]| Pose::new(DVec3::from_slice(x), DQuat::from_slice(&x[3..]));
        let twist = |x: &[f64]| Twist { linear: DVec3::from_slice(x), angular: DVec3::from_slice(&x[3..]) };
        Self {
            kind: match x[0] {
                1.0 => GuideKind::Move,
                2.0 => GuideKind::Return,
                _ => GuideKind::Reach,
            },
            begin: x[1],
            end: x[2],
            brake: x[3],
            from: pose(&x[4..]),
            to: pose(&x[11..]),
            start: twist(&x[18..]),
            finish: twist(&x[24..]),
        }
    }
}

/// How many numbers a guide has in files.
pub const GUIDE_NUMBERS: usize = 30;

/// The weights h₁₀ T, h₀₁ and h₁₁ T of a cubic at one place; h₀₀ = 1 − h₀₁.
struct Hermite([f64; 3]);

impl Hermite {
    /// At u in [0, 1] of a span in s.
    fn at(u: f64, span: f64) -> Self {
        let left = 1.0 - u;
        Self([u * left * left * span, u * u * (3.0 - 2.0 * u), -u * u * left * span])
    }

    fn between(&self, x0: DVec3, v0: DVec3, x1: DVec3, v1: DVec3) -> DVec3 {
        let [start, to, end] = self.0;
        // From x₀ on, so that equal ends give back all their digits.
        x0 + to * (x1 - x0) + start * v0 + end * v1
    }
}

/// J⁻¹(φ) ω: the rate of the rotation vector φ of a frame that turns with ω (world axes).
fn inverse_jacobian(phi: DVec3, omega: DVec3) -> DVec3 {
    let angle = phi.length();
    // 1/θ² − cot(θ/2)/(2θ), by its series where θ is small.
    let factor = if angle < 1e-3 {
        1.0 / 12.0 + angle * angle / 720.0
    } else {
        1.0 / (angle * angle) - 1.0 / (2.0 * angle * (0.5 * angle).tan())
    };
    omega - 0.5 * phi.cross(omega) + factor * phi.cross(phi.cross(omega))
}
