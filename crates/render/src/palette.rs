//! Color quantization by median cut.
//!
//! P. Heckbert, "Color image quantization for frame buffer display", SIGGRAPH 1982: boxes of colors are cut at the median
//! along their longest side, the one with the greatest error first, until there are enough; the mean of each box
//! is a color of the palette.

use crate::image::Image;

/// Bits of each of red, green and blue that are distinguished.
const BITS: u32 = 5;
const CELLS: usize = 1 << (3 * BITS);

/// Colors of a film, and which of them is nearest to any color.
#[derive(Clone, Debug)]
pub(crate) struct Palette {
    /// Red, green, blue.
    pub(crate) colors: Vec<[u8; 3]>,
    /// Index of the color for each cell.
    nearest: Vec<u8>,
}

/// How often colors occur: count and sums of red, green, blue by cell.
#[derive(Clone, Debug)]
pub(crate) struct Histogram(Vec<[u64; 4]>);

fn cell([r, g, b]: [u8; 3]) -> usize {
    let top = |v: u8| (v >> (8 - BITS)) as usize;
    (top(r) << (2 * BITS)) | (top(g) << BITS) | top(b)
}

impl Histogram {
    pub(crate) fn new() -> Self {
        Self(vec![[0; 4]; CELLS])
    }

    pub(crate) fn add(&mut self, image: &Image) {
        for pixel in image.bytes.as_chunks::<3>().0 {
            let entry = &mut self.0[cell(*pixel)];
            entry[0] += 1;
            (0..3).for_each(|k| entry[k + 1] += u64::from(pixel[k]));
        }
    }
}

/// Cells of the histogram whose colors become one.
struct Cut {
    cells: Vec<u32>,
    /// Sum of squared distances from the mean, and the channel in which it is greatest.
    error: f64,
    channel: usize,
}

impl Cut {
    fn new(cells: Vec<u32>, histogram: &Histogram) -> Self {
        let (mut count, mut sum, mut square) = (0.0, [0.0; 3], [0.0; 3]);
        for &c in &cells {
            let entry = histogram.0[c as usize];
            let n = entry[0] as f64;
            count += n;
            for k in 0..3 {
                let mean = entry[k + 1] as f64 / n;
                sum[k] += n * mean;
                square[k] += n * mean * mean;
            }
        }
        let spread: [f64; 3] = core::array::from_fn(|k| (square[k] - sum[k] * sum[k] / count).max(0.0));
        let channel = (0..3).fold(0, |best, k| if spread[k] > spread[best] { k } else { best });
        // Large areas of similar color should not take most entries.
        let error = if cells.len() > 1 { spread.iter().sum::<f64>() / count.sqrt() } else { 0.0 };
        Self { cells, error, channel }
    }

    /// Two halves with as many pixels each.
    fn halves(mut self, histogram: &Histogram) -> [Self; 2] {
        let value = |c: u32| {
            let entry = histogram.0[c as usize];
            entry[self.channel + 1] as f64 / entry[0] as f64
        };
        self.cells.sort_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)));
        let weight = |c: &u32| (histogram.0[*c as usize][0] as f64).sqrt();
        let total: f64 = self.cells.iter().map(weight).sum();
        let mut sum = 0.0;
        let below = self.cells.iter().position(|c| {
            sum += weight(c);
            sum > 0.5 * total
        });
        let at = below.unwrap_or(0).clamp(1, self.cells.len() - 1);
        let upper = self.cells.split_off(at);
        [Self::new(self.cells, histogram), Self::new(upper, histogram)]
    }
}

impl Palette {
    /// At most `most` colors for the counted pixels.
    pub(crate) fn of(histogram: &Histogram, most: usize) -> Self {
        let used: Vec<u32> = (0..CELLS as u32).filter(|&c| histogram.0[c as usize][0] > 0).collect();
        let mut cuts = if used.is_empty() { Vec::new() } else { vec![Cut::new(used, histogram)] };
        while cuts.len() < most {
            let worst = (0..cuts.len()).fold(None, |best: Option<usize>, i| match best {
                Some(b) if cuts[b].error >= cuts[i].error => Some(b),
                _ => Some(i),
            });
            match worst {
                Some(i) if cuts[i].error > 0.0 => {
                    let cut = cuts.swap_remove(i);
                    cuts.extend(cut.halves(histogram));
                }
                _ => break,
            }
        }
        let mean = |cut: &Cut| {
            let mut sum = [0_u64; 4];
            for &c in &cut.cells {
                (0..4).for_each(|k| sum[k] += histogram.0[c as usize][k]);
            }
            [1, 2, 3].map(|k| ((sum[k] + sum[0] / 2) / sum[0].max(1)) as u8)
        };
        let mut colors: Vec<[u8; 3]> = cuts.iter().map(mean).collect();
        if colors.is_empty() {
            colors.push([255; 3]);
        }
        let nearest = (0..CELLS).map(|c| Self::search(&colors, histogram, c)).collect();
        Self { colors, nearest }
    }

    /// The color nearest to the mean of a cell, or to its middle where nothing was counted.
    fn search(colors: &[[u8; 3]], histogram: &Histogram, cell: usize) -> u8 {
        let entry = histogram.0[cell];
        let at: [i32; 3] = core::array::from_fn(|k| match entry[0] {
            0 => {
                let top = (cell >> (BITS * (2 - k as u32))) & ((1 << BITS) - 1);
                ((top << (8 - BITS)) | (1 << (7 - BITS))) as i32
            }
            n => (entry[k + 1] / n) as i32,
        });
        let distance = |color: &[u8; 3]| -> i32 {
            // The eye is most sensitive to green.
            [2, 4, 1].iter().zip(color).zip(at).map(|((w, c), a)| w * (i32::from(*c) - a).pow(2)).sum()
        };
        let best = colors.iter().enumerate().min_by_key(|(_, color)| distance(color));
        best.map_or(0, |(i, _)| i as u8)
    }

    /// Index of the color that replaces `rgb`.
    #[inline]
    pub(crate) fn index(&self, rgb: [u8; 3]) -> u8 {
        self.nearest[cell(rgb)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::ImageSize;

    #[test]
    fn few_colors_are_kept_and_many_are_near_their_stand_ins() {
        let size = ImageSize::new(64, 64).unwrap();
        let two: Vec<u8> =
            (0..64 * 64).flat_map(|i| if i % 7 == 0 { [200, 30, 30] } else { [10, 90, 200] }).collect();
        let mut histogram = Histogram::new();
        histogram.add(&Image::new(size, two));
        let palette = Palette::of(&histogram, 255);
        assert_eq!(palette.colors.len(), 2);
        assert_eq!(palette.colors[palette.index([200, 30, 30]) as usize], [200, 30, 30]);
        let ramp: Vec<u8> =
            (0..64 * 64).flat_map(|i: i32| [(i % 64 * 4) as u8, (i / 64 * 4) as u8, 128]).collect();
        let mut histogram = Histogram::new();
        histogram.add(&Image::new(size, ramp.clone()));
        let palette = Palette::of(&histogram, 255);
        assert!(palette.colors.len() <= 255);
        for p in ramp.as_chunks::<3>().0 {
            let found = palette.colors[palette.index(*p) as usize];
            let off = (0..3).map(|k| p[k].abs_diff(found[k])).max().unwrap();
            assert!(off <= 20, "{p:?} {found:?}");
        }
    }
}
