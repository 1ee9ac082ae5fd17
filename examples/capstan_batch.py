"""Ropes of different friction slide round a post, side by side.

Claim: the pulls at the two ends differ by the factor exp(mu pi) of Euler and Eytelwein, a little less since friction acts
on the rope's skin and not on its axis.

    python examples/capstan_batch.py
"""

import numpy as np

from ropewalk import Batch


def main() -> None:
    friction = np.array([0.1, 0.2, 0.3])
    parameters = {"rod.rope.friction": friction, "body.post.friction": friction}
    batch = Batch("capstan", len(friction), parameters=parameters)
    batch.step(300)
    ratios = np.zeros(len(friction))
    for _ in range(100):
        batch.step(3)
        ratios += np.linalg.norm(batch.clamp_wrench("drag").force, axis=1) / 0.01 / 100
    for mu, ratio in zip(friction, ratios):
        print(f"friction {mu:.1f}: the pulls differ by {ratio:.3f}, exp(mu pi) is {np.exp(mu * np.pi):.3f}")
    logarithms = np.log(ratios) / (friction * np.pi)
    assert np.all((logarithms > 0.93) & (logarithms < 1.0))


if __name__ == "__main__":
    main()
