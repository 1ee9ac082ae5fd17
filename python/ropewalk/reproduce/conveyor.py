"""A box on a conveyor belt is stopped by a bar."""

from collections.abc import Sequence
from typing import Any

from ropewalk import World
from ropewalk.reproduce.form import Form
from ropewalk.reproduce.report import Section, Table, number
from ropewalk.reproduce.runs import Result, Run


def conveyor(duration: float, linearize: str) -> dict[str, Any]:
    """Runs the scene and judges its claims."""
    world = World("conveyor", {"time.duration": duration, "solver.linearize": linearize})
    return {"claims": [list(claim) for claim in world.check_claims()]}


def runs(form: Form) -> list[Run]:
    """Our step and the paper's."""
    kinds = form.pick(tiny=(), quick=("until_converged",), full=("until_converged", "once"))
    return [Run("conveyor:conveyor", {"duration": 5.0, "linearize": kind}, weight=25.0) for kind in kinds]


def section(form: Form, results: Sequence[Result]) -> Section:
    """The claims of the scene."""
    out = Section(
        "conveyor",
        "Conveyor belt",
        "Two plain rollers, a belt 60 mm wide, a box of 30 mm dropped on it, a bar in its way; 5 s at 1 ms. The paper has no numbers "
        "for it; the force on the bar is compared with the friction of the belt on the box.",
    )
    rows = []
    for result in results:
        if result:
            for name, reference, measured, error, tolerance, passed in result["claims"]:
                rows.append([result.run.settings["linearize"], name.replace("_", " "), number(reference), number(measured), number(error), number(tolerance), "yes" if passed else "no"])
    out.add(Table("Claims of `ropewalk run conveyor`", ["linearize", "claim", "expected", "measured", "error", "tolerance", "holds"], rows))
    return out
