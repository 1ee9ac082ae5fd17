//! Ropes of different friction slide round a post, side by side.
//!
//! Claim: the pulls at the two ends differ by the factor exp(μπ) of Euler and Eytelwein, a little less since friction acts on
//! the rope's skin and not on its axis.
//!
//!     cargo run --release -p ropewalk --example capstan_batch
//!
//! The same in Python: `examples/capstan_batch.py`.

use ropewalk::prelude::*;
use std::f64::consts::PI;

const FRICTION: [f64; 3] = [0.1, 0.2, 0.3];

fn main() -> Result<(), Error> {
    let worlds = FRICTION.map(|mu| {
        World::load("capstan", &[&format!("rod.rope.friction={mu}"), &format!("body.post.friction={mu}")])
    });
    let mut batch = Batch::new(worlds.into_iter().collect::<Result<_, _>>()?)?;
    batch.step_by(300)?;
    let mut ratios = [0.0; 3];
    for _ in 0..100 {
        batch.step_by(3)?;
        for (ratio, world) in ratios.iter_mut().zip(batch.worlds()) {
            *ratio += world.clamp("drag")?.wrench().force.length() / 0.01 / 100.0;
        }
    }
    for (mu, ratio) in FRICTION.into_iter().zip(ratios) {
        println!("friction {mu:.1}: the pulls differ by {ratio:.3}, exp(mu pi) is {:.3}", (mu * PI).exp());
        let logarithm = ratio.ln() / (mu * PI);
        assert!(logarithm > 0.93 && logarithm < 1.0, "{logarithm}");
    }
    Ok(())
}
