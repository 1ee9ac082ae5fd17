//! Minimum degree on the graph of tiles, in classes.
//!
//! Eliminating a vertex of the graph joins all its neighbors to one another; the neighbors at that
//! moment are the rows of its column of the factor. Taking the vertex with the fewest neighbors
//! first keeps the factor sparse. All vertices of a class go before those of the next: tiles that no
//! constraint touches, those that some do, and those that separate groups of them.
//!
//! The graph is kept as a quotient graph: an eliminated vertex p lives on as an *element*, the list
//! L_p of its neighbors, and each vertex i holds a list E_i of elements and a list A_i of vertices.
//! Degrees are the approximate external degrees of Amestoy, Davis and Duff (1996),
//!
//! ```text
//!   d_i = |A_i \ L_p| + |L_p \ i| + Σ_{e ∈ E_i} |L_e \ L_p|,
//! ```
//!
//! and an element whose vertices all lie in L_p is absorbed. We leave out their merging of
//! indistinguishable vertices, since a tile is already four DoFs wide, and stop as soon as the rest
//! is one clique.

const NONE: u32 = u32::MAX;

/// How many classes there are.
pub const CLASSES: u8 = 3;

/// Finds elimination orders; reuses its memory.
#[derive(Clone, Debug, Default)]
pub struct Ordering {
    /// Per vertex: where its lists start; elements first, then vertices.
    start: Vec<u32>,
    element_count: Vec<u32>,
    vertex_count: Vec<u32>,
    lists: Vec<u32>,
    degree: Vec<u32>,
    // Vertices of equal degree are linked lists.
    head: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    /// Stamp of the last pivot whose L_p held the vertex.
    in_pivot: Vec<u32>,
    /// Per element: |L_e \ L_p| + stamp while current.
    outside: Vec<u64>,
    /// Per element: its place in the order, where its list lies in `columns`.
    place_of: Vec<u32>,
    eliminated: Vec<bool>,
    absorbed: Vec<bool>,
    columns: Columns,
}

/// The result: vertices in the order of their elimination, each with its neighbors at that moment.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// The eliminated vertices, in order.
    pub order: Vec<u32>,
    /// By place in the order: where the neighbors start in `neighbors`; one more at the end.
    pub start: Vec<u32>,
    /// The neighbors, as vertices, in no particular order.
    pub neighbors: Vec<u32>,
}

impl Columns {
    /// The neighbors of the vertex at `place` in the order, when it was eliminated.
    pub fn neighbors(&self, place: usize) -> &[u32] {
        &self.neighbors[self.start[place] as usize..self.start[place + 1] as usize]
    }
}

impl Ordering {
    /// Orders the graph whose vertex i has the neighbors
    /// `adjacency[adjacency_start[i]..adjacency_start[i + 1]]` (symmetric, without loops or
    /// repetitions). Vertex i comes after all of classes below `class[i]`, which is less than [`CLASSES`].
    pub fn compute(&mut self, adjacency_start: &[u32], adjacency: &[u32], class: &[u8]) -> &Columns {
        let n = class.len();
        self.reset(n, adjacency_start, adjacency);
        let mut stamp = 0_u64;
        let mut remaining = n;
        for present in 0..CLASSES {
            let mut class_left = 0;
            for i in (0..n).rev() {
                if class[i] == present {
                    self.insert(i as u32);
                    class_left += 1;
                }
            }
            let mut least = 0;
            while class_left > 0 {
                while self.head[least] == NONE {
                    least += 1;
                }
                let pivot = self.head[least];
                self.remove(pivot);
                let first = self.columns.neighbors.len();
                self.gather(pivot);
                let count = self.columns.neighbors.len() - first;
                self.place_of[pivot as usize] = self.columns.order.len() as u32;
                self.columns.order.push(pivot);
                self.columns.start.push(self.columns.neighbors.len() as u32);
                self.eliminated[pivot as usize] = true;
                class_left -= 1;
                remaining -= 1;
                if count == remaining && class_left == remaining {
                    self.finish_clique(first);
                    return &self.columns;
                }
                stamp += n as u64 + 1;
                self.count_outside(first, stamp);
                for at in first..first + count {
                    let i = self.columns.neighbors[at];
                    let listed = class[i as usize] == present;
                    if listed {
                        self.remove(i);
                    }
                    self.update(i, pivot, count as u32, stamp, remaining as u32);
                    if listed {
                        self.insert(i);
                        least = least.min(self.degree[i as usize] as usize);
                    }
                }
            }
        }
        &self.columns
    }

    fn reset(&mut self, n: usize, adjacency_start: &[u32], adjacency: &[u32]) {
        self.start.clear();
        self.start.extend_from_slice(&adjacency_start[..n]);
        self.lists.clear();
        self.lists.extend_from_slice(adjacency);
        self.element_count.clear();
        self.element_count.resize(n, 0);
        self.vertex_count.clear();
        self.vertex_count.extend((0..n).map(|i| adjacency_start[i + 1] - adjacency_start[i]));
        self.degree.clone_from(&self.vertex_count);
        for (list, value) in [
            (&mut self.head, NONE),
            (&mut self.next, NONE),
            (&mut self.previous, NONE),
            (&mut self.in_pivot, NONE),
        ] {
            list.clear();
            list.resize(n + 1, value);
        }
        for list in [&mut self.eliminated, &mut self.absorbed] {
            list.clear();
            list.resize(n, false);
        }
        self.outside.clear();
        self.outside.resize(n, 0);
        self.place_of.clear();
        self.place_of.resize(n, 0);
        self.columns.order.clear();
        self.columns.start.clear();
        self.columns.start.push(0);
        self.columns.neighbors.clear();
    }

    fn insert(&mut self, i: u32) {
        let d = self.degree[i as usize] as usize;
        let old = self.head[d];
        self.next[i as usize] = old;
        self.previous[i as usize] = NONE;
        if old != NONE {
            self.previous[old as usize] = i;
        }
        self.head[d] = i;
    }

    fn remove(&mut self, i: u32) {
        let (before, after) = (self.previous[i as usize], self.next[i as usize]);
        if before == NONE {
            self.head[self.degree[i as usize] as usize] = after;
        } else {
            self.next[before as usize] = after;
        }
        if after != NONE {
            self.previous[after as usize] = before;
        }
    }

    /// L_p = (A_p ∪ ⋃_{e ∈ E_p} L_e) \ p, appended to the columns; the elements E_p are absorbed.
    fn gather(&mut self, pivot: u32) {
        let p = pivot as usize;
        // A vertex is stamped with the pivot, each of which occurs once.
        self.in_pivot[p] = pivot;
        let (begin, elements) = (self.start[p] as usize, self.element_count[p] as usize);
        let vertices = self.vertex_count[p] as usize;
        for at in begin..begin + elements {
            let e = self.lists[at] as usize;
            if self.absorbed[e] {
                continue;
            }
            self.absorbed[e] = true;
            let place = self.place_of[e] as usize;
            for k in self.columns.start[place] as usize..self.columns.start[place + 1] as usize {
                let i = self.columns.neighbors[k];
                if self.in_pivot[i as usize] != pivot {
                    self.in_pivot[i as usize] = pivot;
                    self.columns.neighbors.push(i);
                }
            }
        }
        for at in begin + elements..begin + elements + vertices {
            let i = self.lists[at];
            if self.in_pivot[i as usize] != pivot {
                self.in_pivot[i as usize] = pivot;
                self.columns.neighbors.push(i);
            }
        }
    }

    /// |L_e \ L_p| for each element e that shares a vertex with L_p.
    fn count_outside(&mut self, first: usize, stamp: u64) {
        for at in first..self.columns.neighbors.len() {
            let i = self.columns.neighbors[at] as usize;
            let begin = self.start[i] as usize;
            for k in begin..begin + self.element_count[i] as usize {
                let e = self.lists[k] as usize;
                if self.absorbed[e] {
                    continue;
                }
                if self.outside[e] < stamp {
                    let place = self.place_of[e] as usize;
                    let size = self.columns.start[place + 1] - self.columns.start[place];
                    self.outside[e] = stamp + u64::from(size);
                }
                self.outside[e] -= 1;
            }
        }
    }

    /// Drops from the lists of `i` what the element `pivot` now stands for, and finds its degree.
    fn update(&mut self, i: u32, pivot: u32, count: u32, stamp: u64, remaining: u32) {
        let v = i as usize;
        let begin = self.start[v] as usize;
        let (elements, vertices) = (self.element_count[v] as usize, self.vertex_count[v] as usize);
        let mut write = begin;
        let mut degree = count - 1;
        for at in begin..begin + elements {
            let e = self.lists[at] as usize;
            if self.absorbed[e] {
                continue;
            }
            let beyond = (self.outside[e] - stamp) as u32;
            if beyond == 0 {
                self.absorbed[e] = true;
                continue;
            }
            degree += beyond;
            self.lists[write] = e as u32;
            write += 1;
        }
        let first_vertex = write;
        for at in begin + elements..begin + elements + vertices {
            let j = self.lists[at];
            if self.in_pivot[j as usize] != pivot {
                self.lists[write] = j;
                write += 1;
            }
        }
        let kept = write - first_vertex;
        degree += kept as u32;
        // The new element goes between the two lists: the first vertex makes room by moving to the
        // end. There is room, since at least one entry was dropped: the pivot or an element that held it.
        if kept > 0 {
            self.lists[write] = self.lists[first_vertex];
        }
        self.lists[first_vertex] = pivot;
        self.element_count[v] = (first_vertex - begin) as u32 + 1;
        self.vertex_count[v] = kept as u32;
        self.degree[v] = degree.min(self.degree[v] + count - 1).min(remaining - 1);
    }

    /// The rest is one clique, the neighbors from `first` on: any order is as good as another.
    fn finish_clique(&mut self, first: usize) {
        let end = self.columns.neighbors.len();
        for at in first..end {
            let pivot = self.columns.neighbors[at];
            self.columns.order.push(pivot);
            for k in at + 1..end {
                let i = self.columns.neighbors[k];
                self.columns.neighbors.push(i);
            }
            self.columns.start.push(self.columns.neighbors.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eliminates by definition: joins neighbors, returns the number of entries of the factor.
    fn fill(n: usize, edges: &[(usize, usize)], order: &[u32]) -> (usize, Vec<Vec<usize>>) {
        let mut graph = vec![std::collections::BTreeSet::new(); n];
        for &(a, b) in edges {
            graph[a].insert(b);
            graph[b].insert(a);
        }
        let mut columns = Vec::new();
        for &p in order {
            let around: Vec<usize> = graph[p as usize].iter().copied().collect();
            for &a in &around {
                graph[a].remove(&(p as usize));
                for &b in &around {
                    if a != b {
                        graph[a].insert(b);
                    }
                }
            }
            columns.push(around);
        }
        (columns.iter().map(Vec::len).sum(), columns)
    }

    fn order(n: usize, edges: &[(usize, usize)], class: &[u8]) -> Columns {
        let mut lists = vec![std::collections::BTreeSet::new(); n];
        for &(a, b) in edges {
            lists[a].insert(b as u32);
            lists[b].insert(a as u32);
        }
        let mut start = vec![0];
        let mut adjacency = Vec::new();
        for list in &lists {
            adjacency.extend(list.iter().copied());
            start.push(adjacency.len() as u32);
        }
        let mut ordering = Ordering::default();
        ordering.compute(&start, &adjacency, class);
        ordering.compute(&start, &adjacency, class).clone()
    }

    fn random_edges(n: usize, count: usize, mut seed: u64) -> Vec<(usize, usize)> {
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize
        };
        (0..count).map(|_| (next() % n, next() % n)).filter(|(a, b)| a != b).collect()
    }

    #[test]
    fn the_lists_are_the_columns_of_the_factor() {
        for seed in 0..40 {
            let n = 5 + seed as usize;
            let edges = random_edges(n, 3 * n, seed);
            let class: Vec<u8> = (0..n).map(|i| ((i + seed as usize) % 3) as u8).collect();
            let columns = order(n, &edges, &class);
            let mut seen: Vec<u32> = columns.order.clone();
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(i, &v)| i == v as usize));
            let classes: Vec<u8> = columns.order.iter().map(|&i| class[i as usize]).collect();
            assert!(classes.is_sorted());
            let (_, expected) = fill(n, &edges, &columns.order);
            for place in 0..n {
                let mut got: Vec<usize> = columns.neighbors(place).iter().map(|&i| i as usize).collect();
                got.sort_unstable();
                assert_eq!(got, expected[place], "seed {seed}, place {place}");
            }
        }
    }

    #[test]
    fn a_path_has_no_fill_and_a_grid_little() {
        let path: Vec<(usize, usize)> = (0..99).map(|i| (i, i + 1)).collect();
        let columns = order(100, &path, &[0; 100]);
        assert_eq!(columns.neighbors.len(), 99);
        // A 16×16 grid by rows has about 16·256 entries; minimum degree less than half of that.
        let grid: Vec<(usize, usize)> = (0..256)
            .flat_map(|i| [(i % 16 < 15).then_some((i, i + 1)), (i < 240).then_some((i, i + 16))])
            .flatten()
            .collect();
        let columns = order(256, &grid, &[0; 256]);
        assert!(columns.neighbors.len() < 2048, "{}", columns.neighbors.len());
    }
}
