//! Default colors, and color scales for quantities.
//!
//! Colors are given in sRGB, as everywhere in user interfaces; light adds up in linear numbers, so that shading and the
//! averages of samples are right. Conversion: IEC 61966-2-1.

use glam::Vec3;

/// Red, green, blue and opacity, each from 0 to 1, in sRGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    /// Red, green, blue.
    pub rgb: [f32; 3],
    /// Opacity: 0 is invisible, 1 opaque.
    pub alpha: f32,
}

impl Color {
    /// An opaque color from numbers up to 255.
    pub const fn rgb8(r: u8, g: u8, b: u8) -> Self {
        Self { rgb: [r as f32 / 255.0, g as f32 / 255.0, b as f32 / 255.0], alpha: 1.0 }
    }

    /// A color from four numbers; those outside of 0 to 1 are clipped.
    pub fn rgba(rgba: [f64; 4]) -> Self {
        let [r, g, b, a] = rgba.map(|v| if v.is_finite() { v.clamp(0.0, 1.0) as f32 } else { 1.0 });
        Self { rgb: [r, g, b], alpha: a }
    }

    /// As light: linear red, green, blue.
    pub fn linear(self) -> Vec3 {
        Vec3::from(self.rgb.map(|v| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }))
    }

    /// As SVG writes it.
    pub fn hex(self) -> String {
        let [r, g, b] = self.bytes();
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Numbers up to 255.
    pub fn bytes(self) -> [u8; 3] {
        self.rgb.map(|v| (255.0 * v).round() as u8)
    }

    /// A mixture with the fraction `share` of `other`.
    pub fn mixed(self, other: Self, share: f32) -> Self {
        let mix = |a: f32, b: f32| a + (b - a) * share;
        let [r, g, b] = [0, 1, 2].map(|k| mix(self.rgb[k], other.rgb[k]));
        Self { rgb: [r, g, b], alpha: mix(self.alpha, other.alpha) }
    }
}

/// Colors of rods, in turn: strong ones, which stand out against the ground and against bodies.
const RODS: [Color; 6] = [
    Color::rgb8(226, 88, 34),
    Color::rgb8(36, 113, 205),
    Color::rgb8(24, 150, 90),
    Color::rgb8(160, 60, 170),
    Color::rgb8(222, 160, 22),
    Color::rgb8(0, 150, 165),
];
/// Colors of bodies, in turn: muted ones.
const BODIES: [Color; 5] = [
    Color::rgb8(112, 133, 160),
    Color::rgb8(176, 146, 112),
    Color::rgb8(120, 152, 132),
    Color::rgb8(160, 124, 140),
    Color::rgb8(140, 140, 146),
];
/// Colors of the links of robots, from the base on, in turn; further robots have the next accent.
const SHELL: Color = Color::rgb8(224, 227, 231);
const JOINT: Color = Color::rgb8(70, 78, 90);
const ACCENTS: [Color; 4] = [
    Color::rgb8(58, 124, 200),
    Color::rgb8(214, 106, 60),
    Color::rgb8(52, 150, 118),
    Color::rgb8(148, 98, 180),
];
/// Color of the ground.
pub const GROUND: Color = Color::rgb8(214, 212, 206);
/// Color of clamps.
pub const CLAMP: Color = Color::rgb8(52, 56, 64);
/// Color of contact points and forces.
pub const CONTACT: Color = Color::rgb8(215, 30, 60);

/// The color of rod number `index`.
pub fn rod(index: usize) -> Color {
    RODS[index % RODS.len()]
}

/// The color of body number `index`.
pub fn body(index: usize) -> Color {
    BODIES[index % BODIES.len()]
}

/// The color of a link of robot number `robot`: number `place` of the `count` links that have a shape. Links alternate
/// between shell and joint; the last ones, the fingers, have the accent of the robot.
pub fn robot(robot: usize, place: usize, count: usize) -> Color {
    if place + 2 >= count && count > 3 {
        return ACCENTS[robot % ACCENTS.len()];
    }
    if place.is_multiple_of(2) { JOINT } else { SHELL }
}

/// The lower nine tenths of `plasma` (Nathaniel J. Smith and Stéfan van der Walt, CC0), sampled at ten places: even steps
/// in lightness, readable in gray and by the color-blind. Its bright yellow end is left out, since it is hard to see on
/// white.
const STOPS: [[f32; 3]; 10] = [
    [13.0, 8.0, 135.0],
    [65.0, 4.0, 157.0],
    [106.0, 0.0, 168.0],
    [143.0, 13.0, 164.0],
    [177.0, 42.0, 144.0],
    [204.0, 71.0, 120.0],
    [225.0, 100.0, 98.0],
    [242.0, 132.0, 75.0],
    [252.0, 166.0, 54.0],
    [252.0, 190.0, 46.0],
];

/// Index of the last color of a scale: more colors are not distinguishable, and fewer make smaller files.
pub const LAST_SHADE: u32 = 64;

/// The shade of `fraction` between 0 and 1, up to [`LAST_SHADE`].
pub fn shade(fraction: f64) -> u32 {
    (fraction.clamp(0.0, 1.0) * f64::from(LAST_SHADE)).round() as u32
}

/// The color of a shade.
pub fn shade_color(shade: u32) -> Color {
    let place = (shade.min(LAST_SHADE) as f32 / LAST_SHADE as f32) * (STOPS.len() - 1) as f32;
    let below = (place as usize).min(STOPS.len() - 2);
    let mix = |k: usize| {
        let (a, b) = (STOPS[below][k], STOPS[below + 1][k]);
        (a + (b - a) * (place - below as f32)).round() as u8
    };
    Color::rgb8(mix(0), mix(1), mix(2))
}

/// From linear light to sRGB bytes: a table, since the power is slow.
#[derive(Clone, Debug)]
pub(crate) struct ToBytes(Vec<u8>);

impl ToBytes {
    /// Entries; neighboring ones differ by less than one byte from 0.0004 on.
    const COUNT: usize = 4096;

    pub(crate) fn new() -> Self {
        let entry = |i: usize| {
            let v = i as f32 / (Self::COUNT - 1) as f32;
            let s = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
            (255.0 * s).round() as u8
        };
        Self((0..Self::COUNT).map(entry).collect())
    }

    #[inline]
    pub(crate) fn of(&self, light: f32) -> u8 {
        // (A cast from float saturates, and makes 0 of NaN.)
        self.0[((light * (Self::COUNT - 1) as f32 + 0.5) as usize).min(Self::COUNT - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_scale_are_its_stops() {
        assert_eq!(shade_color(shade(-1.0)).hex(), "#0d0887");
        assert_eq!(shade_color(shade(0.0)).hex(), "#0d0887");
        assert_eq!(shade_color(shade(2.0)).hex(), "#fcbe2e");
        assert_eq!(shade(f64::NAN), 0);
    }

    #[test]
    fn colors_survive_the_way_to_light_and_back() {
        let table = ToBytes::new();
        for v in [0u8, 1, 10, 90, 128, 200, 254, 255] {
            let light = Color::rgb8(v, v, v).linear();
            assert!((i32::from(table.of(light.x)) - i32::from(v)).abs() <= 1, "{v}");
        }
        assert_eq!([table.of(f32::NAN), table.of(-1.0), table.of(7.0)], [0, 0, 255]);
    }
}
