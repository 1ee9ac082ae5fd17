//! PairCache: pairs of edges that may come to touch for some time.
//!
//! Which boxes meet changes little from step to step. So pairs are sought with boxes that are larger than needed, and as
//! long as every edge stays inside its larger box, those pairs hold all that meet: only they are looked at. Where things
//! move too fast for that, such a list is not made, but now and then, to see. What is found, and its order, is the same
//! either way.

use ropewalk_geometry::Aabb;

/// How much larger the boxes are, by the radius of the edge.
pub(in crate::step) const MARGIN: f64 = 0.5;
/// A list must serve so many times to be worth while.
const LEAST_SERVICE: u32 = 4;
/// If it did not, the next is not made before pairs were sought so many times without.
const WAIT: u32 = 30;

/// Pairs of items whose larger boxes meet.
#[derive(Clone, Debug, Default)]
pub(in crate::step) struct PairCache {
    /// By item; empty if there is no list.
    pub(in crate::step) outer: Vec<Aabb>,
    pub(in crate::step) pairs: Vec<(u32, u32)>,
    served: u32,
    wait: u32,
}

/// What the list is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::step) enum Use {
    /// Every box is inside its larger one.
    Holds,
    /// A new one is worth while.
    Renew,
    /// Do without.
    Without,
}

impl PairCache {
    pub(in crate::step) fn new(item_count: usize) -> Self {
        Self { outer: Vec::with_capacity(item_count), ..Self::default() }
    }

    /// What the list is good for, with these boxes by item.
    pub(in crate::step) fn usage(&mut self, boxes: &[Aabb]) -> Use {
        if self.outer.len() == boxes.len() && self.outer.iter().zip(boxes).all(|(o, b)| o.holds(b)) {
            self.served += 1;
            return Use::Holds;
        }
        if self.wait > 0 {
            self.wait -= 1;
        } else if self.outer.is_empty() || self.served >= LEAST_SERVICE {
            self.served = 0;
            return Use::Renew;
        } else {
            self.wait = WAIT;
        }
        self.outer.clear();
        Use::Without
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn at(x: f64) -> Vec<Aabb> {
        vec![Aabb::about(DVec3::ONE).moved(DVec3::X * x)]
    }

    fn renew(list: &mut PairCache, boxes: &[Aabb]) {
        assert_eq!(list.usage(boxes), Use::Renew);
        list.outer.clear();
        list.outer.extend(boxes.iter().map(|b| b.grown(0.5)));
    }

    #[test]
    fn a_list_serves_while_boxes_are_inside() {
        let mut list = PairCache::new(1);
        renew(&mut list, &at(0.0));
        for _ in 0..LEAST_SERVICE {
            assert_eq!(list.usage(&at(0.5)), Use::Holds);
        }
        renew(&mut list, &at(0.6));
        assert_eq!(list.usage(&at(0.2)), Use::Holds);
    }

    #[test]
    fn a_list_that_does_not_serve_is_made_now_and_then() {
        let mut list = PairCache::new(1);
        let mut renewed = 0;
        for k in 0..10 * WAIT {
            let boxes = at(f64::from(k));
            if list.usage(&boxes) == Use::Renew {
                renewed += 1;
                list.outer.clear();
                list.outer.extend(boxes.iter().map(|b| b.grown(0.5)));
            }
        }
        assert!((8..=10).contains(&renewed), "{renewed}");
    }

    #[test]
    fn a_box_that_is_no_number_is_in_no_list() {
        let mut list = PairCache::new(1);
        renew(&mut list, &at(0.0));
        assert_ne!(list.usage(&at(f64::NAN)), Use::Holds);
    }
}
