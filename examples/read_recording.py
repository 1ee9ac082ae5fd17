"""A run is written to a file, and read back.

Claim: the last state of the file is the state of the world.

    python examples/read_recording.py

The same in Rust: ``crates/ropewalk/examples/read_recording.rs``.
"""

import tempfile
from pathlib import Path

import numpy as np

from ropewalk import Recording, World


def main() -> None:
    world = World("hanging_rope")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        with world.record(path, rate=60.0):
            world.run(0.2)
        recording = Recording(path)
        positions = recording.rods["rope"].positions
        tip = world.rods["rope"].positions[-1]
        print(f"{len(positions)} frames; the tip ends at z = {tip[2]:.4f} m")
        assert len(positions) >= 12
        assert np.allclose(positions[-1, -1], tip, atol=1e-6)


if __name__ == "__main__":
    main()
