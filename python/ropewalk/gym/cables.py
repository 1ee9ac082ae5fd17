"""Cables of the tasks, with the source of their numbers, and what is drawn about them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["DLO1", "DLO4", "DLO5", "Cable"]


@dataclass(frozen=True)
class Cable:
    """A round cable.

    Args:
        bend: bending stiffness EI in N m^2.
        twist: torsional stiffness GJ in N m^2.
        stretch: axial stiffness EA in N.
        line_density: in kg/m.
        radius: in m.
        damping: resistance of strains to their rates, as a time in s (``stiffness_damping``).
        source: where the numbers come from.
    """

    bend: float
    twist: float
    stretch: float
    line_density: float
    radius: float
    damping: float
    source: str

    def rod(self, **more: object) -> dict[str, Any]:
        """The table of a rod in a scene."""
        section = {
            "stretch": self.stretch,
            "bend": [self.bend, self.bend],
            "twist": self.twist,
            "line_density": self.line_density,
            "radius": self.radius,
        }
        return {"section": {"stiffness": section}, "stiffness_damping": self.damping, **more}

    def draw(self, random: np.random.Generator, rod: str = "cable") -> dict[str, object]:
        """Values of the scene for an episode: stiffness within a factor of 1.5, mass within 20 %, friction from 0.2 to 0.5."""
        stiffness = float(np.exp(random.uniform(-np.log(1.5), np.log(1.5))))
        section = f"rod.{rod}.section.stiffness"
        return {
            f"{section}.bend": [self.bend * stiffness] * 2,
            f"{section}.twist": self.twist * stiffness,
            f"rod.{rod}.density_factor": float(random.uniform(0.8, 1.2)),
            f"rod.{rod}.friction": float(random.uniform(0.2, 0.5)),
        }


_FITTED = "fitted to motion capture of the DEFORM data set, {}: examples/cables/{}.toml; radius and axial stiffness assumed"

DLO1 = Cable(9.66e-4, 1.73e-3, 300.0, 0.0299, 4e-3, 0.057, _FITTED.format("DLO 1", "dlo1"))
"""A stiff cable."""
DLO4 = Cable(9.77e-5, 9.77e-5, 300.0, 0.0226, 3e-3, 0.033, _FITTED.format("DLO 4", "dlo4"))
"""A soft rope."""
DLO5 = Cable(6.82e-5, 6.82e-5, 300.0, 0.0194, 3e-3, 0.085, _FITTED.format("DLO 5", "dlo5"))
"""A softer rope, with much damping."""
