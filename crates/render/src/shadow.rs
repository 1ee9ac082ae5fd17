//! Shadow mapping: nearness as seen from the light.
//!
//! The light is distant, so its projection is orthographic. The light at a point is the fraction of the surrounding
//! texels without an occluder (percentage-closer filtering), which softens the edge of a shadow over a few texels. A
//! coarse map of the greatest nearness quickly rejects points without possible occluders.

use crate::camera::{Camera, ImageSize, Lens, Projection};
use crate::geometry::Geometry;
use crate::raster::bins::Bins;
use crate::raster::project::Projected;
use crate::raster::{Span, visit};
use glam::{DVec3, Mat3, Vec3};

/// Texels along a side of a tile of the coarse map.
const TILE: usize = 8;
/// Half-width of the softened edge of a shadow, in texels.
const SOFT: i32 = 1;
/// Offset of a point from its surface in texels, so that a surface does not shade itself.
const OFFSET: f32 = 1.5;

/// A shadow map.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShadowMap {
    size: usize,
    near: Vec<f32>,
    /// Greatest nearness of each tile and its neighbors.
    coarse: Vec<f32>,
    scratch: Vec<f32>,
    projected: Option<Projected>,
    bins: Bins,
    /// From the camera's frame to texels and m: rotation with scale, and displacement.
    rotation: Mat3,
    displacement: Vec3,
    /// Length of a texel in m.
    texel: f32,
}

impl ShadowMap {
    /// Draws the occluders within `radius` of `center`, as seen along −`light`.
    pub(crate) fn fill(
        &mut self,
        geometry: &Geometry,
        camera: &Lens,
        light: DVec3,
        (center, radius): (DVec3, f64),
        size: usize,
    ) {
        let Ok(image) = ImageSize::new(size as u64, size as u64) else { return };
        let view = Camera {
            eye: center + light * (4.0 * radius),
            target: center,
            up: light.any_orthonormal_vector(),
            projection: Projection::Orthographic { height: 2.02 * radius },
        };
        let lens = Lens::new(&view, image, 1);
        self.size = size;
        self.near.clear();
        self.near.resize(size * size, f32::NEG_INFINITY);
        let projected = self.projected.get_or_insert_with(|| Projected::new(lens, [size; 2]));
        projected.fill(geometry, lens, [size; 2], false);
        self.bins.fill(projected, geometry, size, false);
        for &primitive in self.bins.band(0) {
            let near = &mut self.near;
            visit(primitive, projected, 0..size, size, |row, start, span| {
                let begin = row * size + start;
                match span {
                    Span::Affine { count, nearness, slope, bounds } => {
                        for (k, n) in near[begin..begin + count].iter_mut().enumerate() {
                            *n = n.max((nearness + slope * k as f32).clamp(bounds[0], bounds[1]));
                        }
                    }
                    Span::Point(value) => near[begin] = near[begin].max(value),
                }
            });
        }
        self.fill_coarse();
        // Camera frame → world → light frame → texels; z stays in m.
        let to_light = lens.rotation * camera.rotation.transpose();
        let scale = DVec3::new(lens.focal, lens.focal, 1.0);
        self.rotation = (glam::DMat3::from_diagonal(scale) * to_light).as_mat3();
        let offset = scale * lens.point(camera.eye);
        self.displacement = (offset + DVec3::new(lens.center[0], lens.center[1], 0.0)).as_vec3();
        self.texel = (1.0 / lens.focal) as f32;
    }

    fn fill_coarse(&mut self) {
        let tiles = self.size.div_ceil(TILE);
        self.scratch.clear();
        self.scratch.resize(tiles * tiles, f32::NEG_INFINITY);
        for (row, line) in self.near.chunks_exact(self.size).enumerate() {
            let out = &mut self.scratch[row / TILE * tiles..][..tiles];
            for (tile, texels) in out.iter_mut().zip(line.chunks(TILE)) {
                *tile = texels.iter().fold(*tile, |a, b| a.max(*b));
            }
        }
        self.coarse.clear();
        for row in 0..tiles {
            for column in 0..tiles {
                let mut greatest = f32::NEG_INFINITY;
                for r in row.saturating_sub(1)..(row + 2).min(tiles) {
                    let columns = column.saturating_sub(1)..(column + 2).min(tiles);
                    for n in &self.scratch[r * tiles..][columns] {
                        greatest = greatest.max(*n);
                    }
                }
                self.coarse.push(greatest);
            }
        }
    }

    /// Fraction of the light that reaches a point in the camera's frame on a surface with that normal.
    #[inline]
    pub(crate) fn lit(&self, place: Vec3, normal: Vec3) -> f32 {
        if self.size == 0 {
            return 1.0;
        }
        let p = self.rotation * (place + normal * (OFFSET * self.texel)) + self.displacement;
        let own = -p.z + 0.5 * self.texel;
        let limit = self.size as f32;
        if !(p.x >= 0.0 && p.y >= 0.0 && p.x < limit && p.y < limit) {
            return 1.0;
        }
        let tiles = self.size.div_ceil(TILE);
        if self.coarse[(p.y as usize / TILE) * tiles + p.x as usize / TILE] <= own {
            return 1.0;
        }
        self.filtered(p.x - 0.5, p.y - 0.5, own)
    }

    /// The fraction of lit texels in a square about (x, y), with smoothly weighted edges.
    fn filtered(&self, x: f32, y: f32, own: f32) -> f32 {
        // (Above −1: a cast after a shift by one is `floor`, without the call that it is on older processors.)
        let (left, top) = ((x + 1.0) as i32 - 1, (y + 1.0) as i32 - 1);
        let (fx, fy) = (x - left as f32, y - top as f32);
        let last = 2 * SOFT + 1;
        let weight = |k: i32, f: f32| match k {
            0 => 1.0 - f,
            k if k == last => f,
            _ => 1.0,
        };
        let limit = self.size as i32 - 1;
        let mut sum = 0.0;
        for j in 0..=last {
            let row = (top - SOFT + j).clamp(0, limit) as usize * self.size;
            let mut line = 0.0;
            for i in 0..=last {
                let column = (left - SOFT + i).clamp(0, limit) as usize;
                if self.near[row + column] <= own {
                    line += weight(i, fx);
                }
            }
            sum += line * weight(j, fy);
        }
        sum / (last * last) as f32
    }

    /// Casts no shadow.
    pub(crate) fn clear(&mut self) {
        self.size = 0;
    }
}
