//! Shading: the color of a sample from its visible surface.
//!
//! A distant key light from above the front left, light from the sky and from the ground, a little from the camera,
//! and a highlight. The ground has lines a round length apart and fades into the background, so that no edge is
//! visible.

use crate::geometry::{Geometry, STRIPE, Surface};
use crate::raster::bins::Kind;
use crate::raster::project::Projected;
use crate::raster::triangle::barycentric;
use crate::shadow::ShadowMap;
use crate::style::Style;
use glam::{DVec3, Mat3, Vec3};

/// Towards the key light, in the world.
pub(crate) const KEY: DVec3 = DVec3::new(-0.36, -0.48, 0.8);
/// Strength of the key light, of the sky, of light from the ground, of the camera's.
const KEY_LIGHT: f32 = 0.78;
const SKY: f32 = 0.44;
const BOUNCE: f32 = 0.20;
const FILL: f32 = 0.10;
/// Width of the lines on the ground as a share of their distance, and how much darker they are.
const LINE: f32 = 0.012;
const LINE_SHARE: f32 = 0.22;
/// Distances from the middle, in units of the radius of the scene, between which the ground fades.
const FADE: [f32; 2] = [1.2, 4.0];

/// Data for shading the samples of an image.
pub(crate) struct Shader<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) projected: &'a Projected,
    pub(crate) shadow: &'a ShadowMap,
    key: Vec3,
    up: Vec3,
    /// Middle of the image in samples, and one over the focal length.
    center: [f32; 2],
    pixel: f32,
    background: [Vec3; 2],
    grid: bool,
    grounds: Vec<Ground>,
}

/// A plane's own coordinates from the camera's frame.
struct Ground {
    /// Rotation, in units of the distance of the lines; and displacement to a crossing of lines.
    rotation: Mat3,
    origin: Vec3,
    /// From there to the middle of the scene.
    middle: Vec3,
    /// One over the radius of the scene in the same unit.
    inverse_radius: f32,
    /// One over the distance of the lines in m.
    inverse_spacing: f32,
    /// Light from everywhere, and cosine of the angle to the key light.
    ambient: f32,
    key: f32,
}

impl<'a> Shader<'a> {
    /// For a scene within `radius` of `center`.
    pub(crate) fn new(
        geometry: &'a Geometry,
        projected: &'a Projected,
        shadow: &'a ShadowMap,
        style: &Style,
        (center, radius): (DVec3, f64),
    ) -> Self {
        let lens = &projected.lens;
        let key = lens.vector(KEY.normalize()).as_vec3();
        let up = lens.vector(DVec3::Z).as_vec3();
        let grounds = projected.planes.iter().map(|plane| {
            let pose = geometry.planes[plane.index].pose;
            let spacing = round_up(0.25 * radius);
            let to_local = pose.matrix().transpose() * lens.rotation.transpose() * (1.0 / spacing);
            let origin = pose.local_point(lens.eye) / spacing;
            let middle = pose.local_point(center) / spacing;
            // Whole lines are taken off, so that numbers stay small far from the origin.
            let whole = DVec3::new(middle.x.round(), middle.y.round(), 0.0);
            Ground {
                rotation: to_local.as_mat3(),
                origin: (origin - whole).as_vec3(),
                middle: (middle - whole).as_vec3(),
                inverse_radius: (spacing / radius) as f32,
                inverse_spacing: (1.0 / spacing) as f32,
                ambient: ambient(plane.normal.dot(up)) + FILL,
                key: plane.normal.dot(key).max(0.0),
            }
        });
        Self {
            geometry,
            projected,
            shadow,
            key,
            up,
            center: lens.center.map(|c| c as f32),
            pixel: (1.0 / lens.focal) as f32,
            background: style.background.map(|c| c.linear()),
            grid: style.grid,
            grounds: grounds.collect(),
        }
    }

    /// Light of the background in a row.
    pub(crate) fn background(&self, row: usize) -> Vec3 {
        let share = (row as f32 + 0.5) / self.projected.size[1] as f32;
        self.background[0].lerp(self.background[1], share)
    }

    /// Light of a sample of a primitive at that nearness, and the opacity of its surface. `background` is that of its
    /// row.
    #[inline]
    pub(crate) fn color(
        &self,
        primitive: u32,
        column: usize,
        row: usize,
        near: f32,
        background: Vec3,
    ) -> (Vec3, f32) {
        let (x, y) = (column as f32 + 0.5, row as f32 + 0.5);
        let across = Vec3::new((x - self.center[0]) * self.pixel, (y - self.center[1]) * self.pixel, 0.0);
        let (place, ray) = match self.projected.lens.perspective {
            true => ((across + Vec3::Z) * (1.0 / near), across + Vec3::Z),
            false => (across - Vec3::Z * near, Vec3::Z),
        };
        let kind = Kind::of(primitive);
        let surface = &self.geometry.surfaces[self.projected.surface(kind) as usize];
        if let Kind::Plane(p) = kind {
            return (self.ground(p, surface, place, ray, background), surface.alpha);
        }
        let view = -ray * (1.0 / ray.length());
        let (normal, marked) = match kind {
            Kind::Triangle(t) => self.on_triangle(t, x, y, view),
            Kind::Round(r) => self.projected.rounds[r].normal(place),
            Kind::Plane(p) => (self.projected.planes[p].normal, false),
        };
        let albedo = if marked { surface.mark } else { surface.albedo };
        let lit = if normal.dot(self.key) > 0.0 { self.shadow.lit(place, normal) } else { 0.0 };
        (self.light(surface, albedo, normal, view, lit), surface.alpha)
    }

    /// Normal of a triangle that faces the viewer, and whether the place is on the stripe.
    #[inline]
    fn on_triangle(&self, t: usize, x: f32, y: f32, view: Vec3) -> (Vec3, bool) {
        let triangle = &self.projected.triangles[t];
        let indices = triangle.corners.map(|v| v as usize);
        let share = barycentric(&indices.map(|v| self.projected.vertices[v]), x, y);
        let normals = indices.map(|v| self.projected.normals[v]);
        let stripes = indices.map(|v| self.projected.stripes[v]);
        let normal = normals[0] * share[0] + normals[1] * share[1] + normals[2] * share[2];
        let normal = normal.normalize_or_zero();
        let stripe = stripes[0] * share[0] + stripes[1] * share[1] + stripes[2] * share[2];
        let two_sided = self.geometry.surfaces[triangle.surface as usize].two_sided;
        let facing = if two_sided && normal.dot(view) < 0.0 { -normal } else { normal };
        (facing, stripe > STRIPE)
    }

    /// Light that a surface sends to the viewer.
    #[inline]
    fn light(&self, surface: &Surface, albedo: Vec3, normal: Vec3, view: Vec3, lit: f32) -> Vec3 {
        let ambient = ambient(normal.dot(self.up));
        let key = normal.dot(self.key).max(0.0) * lit;
        let fill = FILL * normal.dot(view).max(0.0);
        // (n·h)³², with h half-way between light and viewer.
        let half = self.key + view;
        let c = normal.dot(half).max(0.0);
        let c2 = c * c / half.length_squared();
        let c8 = c2 * c2 * c2 * c2;
        let shine = surface.gloss * lit * c8 * c8 * c8 * c8;
        albedo * (ambient + KEY_LIGHT * key + fill) + Vec3::splat(shine)
    }

    /// Light of the ground: matt, with lines a round length apart, as wide as can be seen; far from the scene it is the
    /// background.
    #[inline]
    fn ground(&self, p: usize, surface: &Surface, place: Vec3, ray: Vec3, background: Vec3) -> Vec3 {
        let (plane, ground) = (&self.projected.planes[p], &self.grounds[p]);
        let at = ground.rotation * place + ground.origin;
        let off = at - ground.middle;
        let far = (off.x * off.x + off.y * off.y).sqrt() * ground.inverse_radius;
        if far >= FADE[1] {
            return background;
        }
        let mut albedo = surface.albedo;
        if self.grid {
            // Width of a sample on the ground, in units of the lines; wider where it is seen at a flat angle.
            // (The ray is a little longer than one; that much wider the lines may be.)
            let slant = -plane.normal.dot(ray).min(-0.02);
            let sample = if self.projected.lens.perspective { place.z * self.pixel } else { self.pixel };
            let width = sample * ground.inverse_spacing / slant;
            let cover = |v: f32| {
                let distance = (v - nearest(v)).abs();
                ((LINE + width) * 0.5 - distance).clamp(0.0, width.min(LINE))
            };
            let lines = cover(at.x).max(cover(at.y));
            if lines > 0.0 {
                albedo *= 1.0 - LINE_SHARE * (lines / width).min(1.0);
            }
        }
        let lit = if ground.key > 0.0 { self.shadow.lit(place, plane.normal) } else { 0.0 };
        let light = albedo * (ground.ambient + KEY_LIGHT * ground.key * lit);
        let t = ((far - FADE[0]) / (FADE[1] - FADE[0])).max(0.0);
        light.lerp(background, t * t * (3.0 - 2.0 * t))
    }
}

/// Light from sky and ground on a surface whose normal has that part upwards.
fn ambient(up: f32) -> f32 {
    BOUNCE + (SKY - BOUNCE) * (0.5 + 0.5 * up)
}

/// The whole number nearest to a value below 2²² (without the call that `round` is on older processors).
#[inline]
fn nearest(v: f32) -> f32 {
    const SHIFT: f32 = 12_582_912.0;
    (v + SHIFT) - SHIFT
}

/// The least of 1, 2 and 5 times a power of ten that is not below `value`.
fn round_up(value: f64) -> f64 {
    let power = 10_f64.powf(value.max(1e-300).log10().floor());
    let lead = value / power;
    power * [1.0, 2.0, 5.0].into_iter().find(|m| lead <= *m).unwrap_or(10.0)
}
