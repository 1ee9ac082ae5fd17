//! Lists of primitives by band of rows.

use super::project::Projected;
use crate::geometry::Geometry;

/// Primitives of each kind are numbered from a different start.
const ROUNDS: u32 = 1 << 30;
const PLANES: u32 = 1 << 31;

/// A primitive: its kind and its index among those.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Triangle(usize),
    Round(usize),
    Plane(usize),
}

impl Kind {
    /// The primitive of a number.
    #[inline]
    pub(crate) fn of(primitive: u32) -> Self {
        if primitive < ROUNDS {
            Self::Triangle(primitive as usize)
        } else if primitive < PLANES {
            Self::Round((primitive - ROUNDS) as usize)
        } else {
            Self::Plane((primitive - PLANES) as usize)
        }
    }

    /// Its number.
    fn number(self) -> u32 {
        match self {
            Self::Triangle(t) => t as u32,
            Self::Round(r) => ROUNDS + r as u32,
            Self::Plane(p) => PLANES + p as u32,
        }
    }
}

/// Opaque primitives by band, and transparent ones from far to near.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bins {
    /// Where the list of each band begins in `items`, and the end.
    starts: Vec<u32>,
    items: Vec<u32>,
    /// Transparent primitives, far ones first.
    pub(crate) transparent: Vec<u32>,
}

impl Bins {
    /// Sorts all primitives into bands of `rows` rows. If `solid`, transparent ones are opaque too.
    pub(crate) fn fill(&mut self, projected: &Projected, geometry: &Geometry, rows: usize, solid: bool) {
        let bands = projected.size[1].div_ceil(rows);
        self.starts.clear();
        self.starts.resize(bands + 2, 0);
        self.transparent.clear();
        let counts = [projected.triangles.len(), projected.rounds.len(), projected.planes.len()];
        let all = || {
            // Planes last: most of them is hidden by then.
            let triangles = (0..counts[0]).map(Kind::Triangle);
            triangles.chain((0..counts[1]).map(Kind::Round)).chain((0..counts[2]).map(Kind::Plane))
        };
        let opaque = |kind: Kind| solid || geometry.surfaces[projected.surface(kind) as usize].alpha >= 1.0;
        let bands_of = |kind: Kind| {
            let [first, end] = projected.rows(kind);
            if first < end { first / rows..(end - 1) / rows + 1 } else { 0..0 }
        };
        // Counted first, one place further on, so that filling moves each start to where it belongs.
        for kind in all() {
            if opaque(kind) {
                bands_of(kind).for_each(|band| self.starts[band + 2] += 1);
            } else {
                self.transparent.push(kind.number());
            }
        }
        for band in 2..self.starts.len() {
            self.starts[band] += self.starts[band - 1];
        }
        self.items.clear();
        self.items.resize(self.starts[bands + 1] as usize, 0);
        for kind in all().filter(|kind| opaque(*kind)) {
            for band in bands_of(kind) {
                let place = &mut self.starts[band + 1];
                self.items[*place as usize] = kind.number();
                *place += 1;
            }
        }
        self.transparent.sort_by(|a, b| {
            let [x, y] = [a, b].map(|p| projected.middle(Kind::of(*p)));
            x.total_cmp(&y).then(a.cmp(b))
        });
    }

    /// The opaque primitives that overlap a band.
    pub(crate) fn band(&self, band: usize) -> &[u32] {
        &self.items[self.starts[band] as usize..self.starts[band + 1] as usize]
    }
}
