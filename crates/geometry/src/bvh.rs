//! Bounding-volume hierarchies: binary trees of boxes.
//!
//! A hierarchy over n leaves has 2n − 1 nodes in depth-first order: the first child of a node follows it, and the
//! second child follows the subtree of the first. The shape depends on n alone (each child has half of the leaves),
//! so a refit is one pass from the last node to the first, without any rebuild. Leaves are in the given order for
//! rods, whose edges are neighbors already, or sorted in space for meshes.
//!
//! Queries visit items in an order that depends on the boxes alone, and keep their open nodes in an array on the
//! stack.

use crate::aabb::Aabb;

/// A node: a box, and either an item or two children.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Aabb,
    /// Index of the second child; 0 for a leaf.
    second: u32,
    /// Item of a leaf.
    item: u32,
}

/// A bounding-volume hierarchy over items numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Bvh {
    nodes: Vec<Node>,
}

/// A subtree for [`Bvh::self_pairs_of`].
#[derive(Clone, Copy, Debug)]
pub struct SelfPart {
    node: u32,
    /// All pairs of items below the node, or only those with an item below each of its two children.
    whole: bool,
}

/// Bound on the open nodes of a query: 2³² leaves have a depth of 32, and each level opens three pairs at most.
const OPEN: usize = 256;

impl Bvh {
    /// A hierarchy over items in their given order, as for the edges of a rod.
    pub fn ordered(boxes: &[Aabb]) -> Self {
        let order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut tree = Self::over(&order);
        tree.refit(boxes);
        tree
    }

    /// A hierarchy over items sorted in space, each node split at the median of its longest side.
    pub fn spatial(boxes: &[Aabb]) -> Self {
        fn sort(boxes: &[Aabb], order: &mut [u32]) {
            if order.len() < 2 {
                return;
            }
            let centers = order.iter().fold(Aabb::EMPTY, |mut all, &i| {
                all.add(boxes[i as usize].center());
                all
            });
            let half = centers.half();
            let axis = if half.x >= half.y && half.x >= half.z {
                0
            } else if half.y >= half.z {
                1
            } else {
                2
            };
            let middle = order.len() / 2;
            let key = |i: &u32| boxes[*i as usize].center()[axis];
            order.select_nth_unstable_by(middle, |i, j| key(i).total_cmp(&key(j)).then(i.cmp(j)));
            let (first, second) = order.split_at_mut(middle);
            sort(boxes, first);
            sort(boxes, second);
        }
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        sort(boxes, &mut order);
        let mut tree = Self::over(&order);
        tree.refit(boxes);
        tree
    }

    fn over(order: &[u32]) -> Self {
        fn add(nodes: &mut Vec<Node>, order: &[u32]) {
            let here = nodes.len();
            nodes.push(Node { bounds: Aabb::EMPTY, second: 0, item: order[0] });
            if order.len() > 1 {
                let (first, second) = order.split_at(order.len() / 2);
                add(nodes, first);
                nodes[here].second = nodes.len() as u32;
                add(nodes, second);
            }
        }
        let mut nodes = Vec::with_capacity((2 * order.len()).saturating_sub(1));
        if !order.is_empty() {
            add(&mut nodes, order);
        }
        Self { nodes }
    }

    /// Number of items.
    pub fn item_count(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// The box of all items; empty if there are none.
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |n| n.bounds)
    }

    /// Refits to new boxes, by item; as many as there are items.
    pub fn refit(&mut self, boxes: &[Aabb]) {
        self.refit_with(|item| boxes[item as usize]);
    }

    /// Refits to new boxes from a function of the item.
    #[inline]
    pub fn refit_with(&mut self, bounds: impl Fn(u32) -> Aabb) {
        for k in (0..self.nodes.len()).rev() {
            let node = self.nodes[k];
            self.nodes[k].bounds = match node.second {
                0 => bounds(node.item),
                second => self.nodes[k + 1].bounds.joined(&self.nodes[second as usize].bounds),
            };
        }
    }

    /// Visits the items whose boxes meet `region`.
    #[inline]
    pub fn query(&self, region: &Aabb, visit: impl FnMut(u32)) {
        self.query_with(|bounds| bounds.meets(region), visit);
    }

    /// Visits the items whose boxes `meets` accepts. If it rejects a box, it must reject all boxes inside.
    #[inline]
    pub fn query_with(&self, meets: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(u32)) {
        self.query_boxes(meets, |item, _| visit(item));
    }

    /// The same, with the boxes of the items.
    #[inline]
    pub fn query_boxes(&self, meets: impl Fn(&Aabb) -> bool, mut visit: impl FnMut(u32, &Aabb)) {
        let mut k = 0;
        // Nodes are in depth-first order: a descent goes to the next node, a skip to the end of the subtree.
        let mut ends = [0u32; 64];
        let mut depth = 0;
        let end = self.nodes.len();
        while k < end {
            let node = &self.nodes[k];
            if meets(&node.bounds) {
                if node.second == 0 {
                    visit(node.item, &node.bounds);
                } else {
                    ends[depth] = node.second;
                    depth += 1;
                    k += 1;
                    continue;
                }
            }
            // The next open node.
            match depth {
                0 => return,
                _ => {
                    depth -= 1;
                    k = ends[depth] as usize;
                }
            }
        }
    }

    /// Visits items in order of growing measure of their boxes, as long as that is at most what `visit` returned
    /// last. `measure` must not be greater for a box than for the boxes inside it.
    pub fn nearest(&self, measure: impl Fn(&Aabb) -> f64, mut visit: impl FnMut(u32) -> f64) {
        if self.nodes.is_empty() {
            return;
        }
        let mut limit = f64::INFINITY;
        let mut open = [(0.0, 0u32); OPEN];
        let mut count = 1;
        open[0] = (measure(&self.nodes[0].bounds), 0);
        while count > 0 {
            count -= 1;
            let (least, k) = open[count];
            if least > limit {
                continue;
            }
            let node = &self.nodes[k as usize];
            if node.second == 0 {
                limit = visit(node.item);
                continue;
            }
            let parts = [k + 1, node.second].map(|p| (measure(&self.nodes[p as usize].bounds), p));
            let [far, near] = if parts[0].0 < parts[1].0 { [parts[1], parts[0]] } else { parts };
            open[count] = far;
            open[count + 1] = near;
            count += 2;
        }
    }

    /// Visits the pairs (item here, item there) whose boxes meet.
    pub fn pairs(&self, other: &Self, mut visit: impl FnMut(u32, u32)) {
        if !self.nodes.is_empty() && !other.nodes.is_empty() {
            self.descend(other, (0, 0), &mut [(0, 0); OPEN], &mut visit);
        }
    }

    /// Visits the pairs below two nodes; `open` is scratch.
    fn descend(
        &self,
        other: &Self,
        from: (u32, u32),
        open: &mut [(u32, u32); OPEN],
        visit: &mut impl FnMut(u32, u32),
    ) {
        let mut count = 1;
        open[0] = from;
        while count > 0 {
            count -= 1;
            let (i, j) = open[count];
            let (a, b) = (&self.nodes[i as usize], &other.nodes[j as usize]);
            if !a.bounds.meets(&b.bounds) {
                continue;
            }
            // The first child is pushed last, so that it is visited first.
            match (a.second, b.second) {
                (0, 0) => visit(a.item, b.item),
                (0, second) => {
                    open[count] = (i, second);
                    open[count + 1] = (i, j + 1);
                    count += 2;
                }
                (second, 0) => {
                    open[count] = (second, j);
                    open[count + 1] = (i + 1, j);
                    count += 2;
                }
                (sa, sb) => {
                    open[count] = (sa, sb);
                    open[count + 1] = (sa, j + 1);
                    open[count + 2] = (i + 1, sb);
                    open[count + 3] = (i + 1, j + 1);
                    count += 4;
                }
            }
        }
    }

    /// Visits each pair of different items whose boxes meet once; with ordered items, the lesser first.
    pub fn self_pairs(&self, visit: impl FnMut(u32, u32)) {
        self.self_pairs_of(SelfPart { node: 0, whole: true }, visit);
    }

    /// Splits the work of [`Bvh::self_pairs`] into parts with few items each: the pairs of all parts, one after
    /// another, are those of the whole, in its order. The split depends on the number of items alone.
    pub fn self_parts(&self, most_items: usize) -> Vec<SelfPart> {
        fn add(tree: &Bvh, node: u32, end: usize, most_items: usize, parts: &mut Vec<SelfPart>) {
            let second = tree.nodes[node as usize].second;
            let whole = (end - node as usize).div_ceil(2) <= most_items.max(1);
            parts.push(SelfPart { node, whole });
            if !whole {
                add(tree, node + 1, second as usize, most_items, parts);
                add(tree, second, end, most_items, parts);
            }
        }
        let mut parts = Vec::new();
        if !self.nodes.is_empty() {
            add(self, 0, self.nodes.len(), most_items, &mut parts);
        }
        parts
    }

    /// Visits the pairs of a part.
    pub fn self_pairs_of(&self, part: SelfPart, mut visit: impl FnMut(u32, u32)) {
        if self.nodes.is_empty() {
            return;
        }
        let mut open = [0u32; OPEN];
        let mut open_pairs = [(0u32, 0u32); OPEN];
        open[0] = part.node;
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let k = open[count];
            let second = self.nodes[k as usize].second;
            if second != 0 {
                self.descend(self, (k + 1, second), &mut open_pairs, &mut visit);
                if part.whole {
                    open[count] = second;
                    open[count + 1] = k + 1;
                    count += 2;
                }
            }
        }
    }
}
