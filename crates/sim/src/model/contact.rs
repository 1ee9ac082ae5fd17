//! Contact: who touches whom, and how.

/// Contact of a world. Given geometry and friction, nothing has to be tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Whether pairs that may come to touch within the step take part before they do.
    pub look_ahead: bool,
    /// Whether steps in which something would pass through something else are split.
    pub guard: bool,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self { look_ahead: true, guard: true }
    }
}

/// The surface of a rod or of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coefficient of friction μ of this side; a pair has 2 μ_a μ_b/(μ_a + μ_b).
    pub friction: f64,
    /// Stiffness of this side in N/m, in series with the other's; `None`: as hard as the step allows.
    pub stiffness: Option<f64>,
    /// Dissipation time in s; of a pair the greater one counts.
    pub dissipation_time: f64,
}

impl Default for Surface {
    fn default() -> Self {
        Self { friction: 0.5, stiffness: None, dissipation_time: 0.0 }
    }
}

impl Surface {
    /// The surface of a pair.
    pub fn pair(&self, other: &Self) -> Self {
        let sum = self.friction + other.friction;
        let stiffness = match (self.stiffness, other.stiffness) {
            (Some(a), Some(b)) => Some(a * b / (a + b)),
            (a, b) => a.or(b),
        };
        Self {
            friction: if sum > 0.0 { 2.0 * self.friction * other.friction / sum } else { 0.0 },
            stiffness,
            dissipation_time: self.dissipation_time.max(other.dissipation_time),
        }
    }
}

/// Who takes part in contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// A rod.
    Rod(usize),
    /// All links of a tree.
    Tree(usize),
    /// One link of a tree.
    Link {
        /// Index of the tree.
        tree: usize,
        /// Index of the link.
        link: usize,
    },
}

impl Party {
    /// Whether this is `rod`.
    pub fn is_rod(&self, rod: usize) -> bool {
        *self == Self::Rod(rod)
    }

    /// Whether `link` of `tree` belongs to this.
    pub fn has_link(&self, tree: usize, link: usize) -> bool {
        *self == Self::Tree(tree) || *self == Self::Link { tree, link }
    }
}
