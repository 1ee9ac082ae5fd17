//! From a value between 0 and 1 to a colour.
//!
//! The scale is the lower nine tenths of `plasma` (Nathaniel J. Smith and Stéfan van der Walt, CC0),
//! sampled at ten places: even steps in lightness, readable in grey and by the colour-blind. Its bright
//! yellow end is left out, since it is hard to see on white.

const STOPS: [[f64; 3]; 10] = [
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

/// Number of different colours in a picture: more do not show, and fewer make smaller files.
const SHADES: f64 = 64.0;

/// The shade of `value` between 0 and 1, from 0 to 64.
pub(super) fn shade(value: f64) -> u32 {
    (value.clamp(0.0, 1.0) * SHADES).round() as u32
}

/// The colour of a shade, as SVG writes it.
pub(super) fn colour(shade: u32) -> String {
    let [r, g, b] = rgb(shade);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The colour of a shade: red, green, blue.
pub(super) fn rgb(shade: u32) -> [u8; 3] {
    let place = (f64::from(shade) / SHADES).clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let below = (place as usize).min(STOPS.len() - 2);
    let mix = |k: usize| {
        let (a, b) = (STOPS[below][k], STOPS[below + 1][k]);
        (a + (b - a) * (place - below as f64)).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_scale_are_its_stops() {
        assert_eq!(colour(shade(-1.0)), "#0d0887");
        assert_eq!(colour(shade(0.0)), "#0d0887");
        assert_eq!(colour(shade(2.0)), "#fcbe2e");
    }
}
