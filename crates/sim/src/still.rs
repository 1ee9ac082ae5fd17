//! A world at rest: its equilibrium, and small vibrations of its rods.

use crate::equilibrium::{Equilibrium, equilibrate};
use crate::model::Hold;
use crate::world::World;
use ropewalk_rod::modes::{Mode, ModesError, lowest_modes};

impl World {
    /// Goes to the shape that the world takes when it is left alone, at the present time; see [`crate::equilibrium`]. Contacts
    /// remember nothing of before.
    pub fn equilibrate(&mut self) -> Equilibrium {
        let model = self.model().clone();
        let mut state = self.state().clone();
        state.stick_forces.clear();
        let found = equilibrate(&model, &mut state, self.workspace_mut());
        *self.state_mut() = state;
        found
    }

    /// The `count` lowest modes of rod `r` about its present shape, as clamps hold it now. What attachments and contacts do is
    /// left out.
    pub fn modes(&self, r: usize, count: usize) -> Result<Vec<Mode>, ModesError> {
        let (model, state) = (self.model(), self.state());
        let rod = &model.rods[r];
        let mut held = vec![[false; 4]; rod.node_count()];
        for (clamp, command) in model.clamps.iter().zip(&state.commands.clamps) {
            let holds = (state.time < clamp.release_time || command.guide.is_some()) && !command.released;
            if clamp.rod != r || !holds {
                continue;
            }
            let mut hold_node = |node: usize| held[node][..3].fill(true);
            match clamp.hold {
                Hold::Node(node) => hold_node(node),
                Hold::Edge(e) | Hold::EdgeFreeSpin(e) => {
                    hold_node(e);
                    hold_node(rod.edge_end(e));
                }
                Hold::Spin(_) => {}
            }
            if let Hold::Edge(e) | Hold::Spin(e) = clamp.hold {
                held[e][3] = true;
            }
        }
        lowest_modes(rod, &state.rods[r], &held, count)
    }
}
