"""What the paper claims, sentence by sentence, in our words; the sections of the report say what they show of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from ropewalk.reproduce.report import Verdict

__all__ = ["CLAIMS", "Claim", "verdicts"]


@dataclass(frozen=True)
class Claim:
    """A claim of the paper."""

    name: str
    where: str
    """The part of the paper."""
    text: str
    """What is claimed."""
    shown_by: str
    """The experiments that can show it; or, if none can, what stands for it instead."""
    word: str = ""
    """The verdict where no experiment is needed."""

    def standing(self) -> Verdict:
        """The verdict if no section has given one."""
        if not self.word:
            return Verdict("not shown", f"not run here: `python -m ropewalk.reproduce {self.shown_by}`")
        return Verdict(self.word, self.shown_by)


COMBINED = {
    "versatile": ("gripper-grasps", "lace-patch"),
    "baselines-worse": ("imc-tunnels", "lace-point", "lace-chain-noise"),
}
"""Claims that hold as far as others do: the verdict is the least of theirs."""

CLAIMS = [
    Claim("friction-accurate", "Abstract", "Frictional forces between filaments and rigid bodies come out accurately.", "capstan"),
    Claim("global-optimum", "Abstract", "Each step is a convex problem, solved to its global optimum.", "examples"),
    Claim("versatile", "Abstract", "One simulator does soft grippers and deformable manipulation: gripper and shoelace.", "gripper shoelace"),
    Claim(
        "fem-prohibitive", "I", "Volumetric finite elements are too expensive at the meshes that slender things need.",
        "finite_elements",
    ),
    Claim("tying-needs-patches", "I", "Tying a shoelace is not feasible with point contact, since pinch forces vary and it slips.", "shoelace"),
    Claim("convex-for-filaments", "I", "A convex contact solver, until then for rigid and volumetric bodies, can do filaments.", "examples"),
    Claim("lateral-compliance", "I", "Patches give lateral compliance and distributed forces beyond points.", "shoelace"),
    Claim(
        "chains-do-not-converge", "II-A",
        "Chains of capsules need tuned springs, and refinement does not guarantee convergence to the right behavior.", "capsule_chain",
    ),
    Claim(
        "pbd-step-dependent", "II-A", "The stiffness of position-based dynamics depends on the step, so its forces are not accurate.",
        "method",
    ),
    Claim("elastica-small-steps", "II-A", "Explicit Cosserat rods (Elastica) are bound to small steps, which limits their speed.", "cosserat"),
    Claim("implicit-large-steps", "II-A", "Without shear, implicit integrators take larger steps.", "cosserat"),
    Claim(
        "ipc-slow", "II-B", "Barrier methods (IPC) never penetrate, but may be too slow for robotics.",
        "no barrier method is run here", "not shown",
    ),
    Claim(
        "hessian-corrected", "III-A", "The derivatives of the elastic energy, corrected against the literature, agree with automatic "
        "differentiation; the force on γ from bending is not zero.",
        "method",
    ),
    Claim(
        "patch-as-points", "III-B", "A polygon of a patch acts as a point contact with an effective signed distance and stiffness.",
        "method",
    ),
    Claim(
        "theta-method", "III-C", "One scheme covers backward Euler, symplectic Euler and the midpoint rule.",
        "method",
    ),
    Claim(
        "fixed-sparsity", "IV", "The momentum residual has a fixed sparsity pattern, so the symbolic factorization is reused.",
        "method",
    ),
    Claim("positive-definite", "IV", "The tangent may be indefinite and is regularized to be positive definite.", "examples"),
    Claim("kkt", "IV", "The linearized problem is the optimality condition of a strictly convex one, with guaranteed convergence.", "method"),
    Claim("schur", "IV", "Only degrees of freedom in contact enter the solver, by a Schur complement.", "method"),
    Claim("step-size", "V", "Steps must be about 1e-3 s or less, against tunneling and for the linearization to hold.", "knots"),
    Claim("patch-more-contacts", "V", "Patches give many more contact points, and so more work.", "shoelace"),
    Claim("solver-dominates", "V", "The contact solver takes at least half of the time in all examples.", "examples"),
    Claim("capstan-exponential", "V-A", "The ratio of forces round a post grows exponentially with the wrap angle, as theory says.", "capstan"),
    Claim("capstan-converges", "V-A", "Finer segments converge to the theory.", "capstan"),
    Claim("capstan-steady", "V-A", "The ratio is read once a steady state is reached.", "capstan"),
    Claim("knot-snap", "V-B", "A knot of unknotting number four, pulled tight, snaps from near-circular to collapsed.", "knots"),
    Claim("knot-real", "V-B", "The tightened shape closely matches a real rope.", "no photographs are at hand to compare with", "not shown"),
    Claim("knot-step", "V-B", "The pulling speed demands a step of 1e-4 s.", "knots"),
    Claim("imc-tunnels", "V-B", "The contact-energy method tunnels under the same material, speed and step.", "contact_energy"),
    Claim("imc-energy", "V-B", "Its contact energy dominates while the rope is loose and falls behind the elastic energy as it tightens.", "contact_energy"),
    Claim("chain-no-tunnel", "V-B", "The capsule chain does not tunnel.", "capsule_chain"),
    Claim("chain-no-snap", "V-B", "The capsule chain does not snap, and ends in a shape that is not physical.", "capsule_chain"),
    Claim("belt-centers", "V-C", "A flat belt on a crowned pulley centers itself.", "crowned_pulley"),
    Claim("belt-points", "V-C", "With point contact it does not.", "crowned_pulley"),
    Claim("belt-stretch", "V-C", "Without stretching it does not.", "crowned_pulley"),
    Claim("belt-twist", "V-C", "Without twisting it does not.", "crowned_pulley"),
    Claim("fem-no-tension", "V-C", "Volumetric finite elements with a third of the thickness as resolution do not tension the belt.", "finite_elements"),
    Claim("fem-aspect", "V-C", "Elements of large aspect ratio are likely the reason; finer ones are prohibitive.", "finite_elements"),
    Claim("gripper-grasps", "V-D", "Filaments that curl up entangle a branched object and lift it.", "gripper"),
    Claim("gripper-robust", "V-D", "Contacts among filaments, object and base are resolved robustly.", "gripper"),
    Claim("gripper-step", "V-D", "The step is far larger than the 1e-5 s of the original study with Elastica.", "cosserat gripper"),
    Claim("lace-patch", "V-E", "With patches the whole shoelace is tied, and the pinch force rises smoothly to balance the fingers.", "shoelace"),
    Claim("lace-point", "V-E", "With points the pinch force fluctuates violently, and the lace slips out.", "shoelace"),
    Claim("lace-cause", "V-E", "The fluctuation comes from the two stages of the step: penetration after free motion varies.", "shoelace"),
    Claim("lace-chain-step", "V-E", "A capsule chain needs a step of 1e-4 s.", "lace_chain"),
    Claim("lace-chain-noise", "V-E", "Its elastic energy fluctuates at much higher frequencies.", "lace_chain"),
    Claim("rings-rest", "V-F", "A chain of 100 rings stays in static equilibrium for 10 minutes.", "rings"),
    Claim("rings-step", "V-F", "A step of 8e-4 s is small enough to prevent tunneling.", "rings"),
    Claim("rings-linear", "V-F", "Run time grows linearly with the number of rings.", "rings"),
    Claim("rings-reuse", "V-F", "It does since contact patterns are stable, so that the symbolic factorization is reused.", "whether that is the cause is not measured here", "not shown"),
    Claim(
        "baselines-worse", "VI", "Compared with its baselines the method does better at non-penetration, at steady friction forces and at smooth elastic energy.",
        "contact_energy shoelace lace_chain",
    ),
    Claim("adaptive-wish", "VI", "Small steps remain a bottleneck; adaptive steps could help (future work).", "knots"),
]
"""All of them, in the order of the paper."""

_RANKS = ("not shown", "not reproduced", "partly reproduced", "agreed", "reproduced", "improved")


def verdicts(found: Mapping[str, Verdict]) -> list[tuple[Claim, Verdict]]:
    """Every claim with its verdict, from those that sections have given."""
    given = dict(found)
    for name, parts in COMBINED.items():
        if all(part in given for part in parts):
            word = min((given[part].word for part in parts), key=_RANKS.index)
            given[name] = Verdict(word, "; ".join(f"{part}: {given[part].word}" for part in parts))
    return [(claim, given.get(claim.name) or claim.standing()) for claim in CLAIMS]
