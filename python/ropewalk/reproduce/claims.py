"""What the paper claims, sentence by sentence, in our words; the sections of the report say what they show of it."""

from dataclasses import dataclass

from ropewalk.reproduce.report import Verdict

__all__ = ["CLAIMS", "Claim"]


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


BASELINE = "this baseline is not run here"

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
        "Chains of capsules need tuned springs, and refinement does not guarantee convergence to the right behavior.", BASELINE, "not shown",
    ),
    Claim(
        "pbd-step-dependent", "II-A", "The stiffness of position-based dynamics depends on the step, so its forces are not accurate.",
        "no position-based code is run here; Newton's block descent, run where it is installed, has another method", "not shown",
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
        "`cargo test -p ropewalk-rod` compares gradient and Hessian with hyper-dual numbers, bending against γ included", "reproduced",
    ),
    Claim(
        "patch-as-points", "III-B", "A polygon of a patch acts as a point contact with an effective signed distance and stiffness.",
        "`ropewalk validate pressure_field soft_finger`: force and area of patches against closed forms", "reproduced",
    ),
    Claim(
        "theta-method", "III-C", "One scheme covers backward Euler, symplectic Euler and the midpoint rule.",
        "`time.scheme`; `docs/schemes.md` has orders and losses, and BDF2 besides", "improved",
    ),
    Claim(
        "fixed-sparsity", "IV", "The momentum residual has a fixed sparsity pattern, so the symbolic factorization is reused.",
        "a rod is block-pentadiagonal (`crates/linalg`); islands keep their elimination order while contacts stay", "reproduced",
    ),
    Claim("positive-definite", "IV", "The tangent may be indefinite and is regularized to be positive definite.", "examples"),
    Claim("kkt", "IV", "The linearized problem is the optimality condition of a strictly convex one, with guaranteed convergence.", "examples"),
    Claim("schur", "IV", "Only degrees of freedom in contact enter the solver, by a Schur complement.", "examples"),
    Claim("step-size", "V", "Steps must be about 1e-3 s or less, against tunneling and for the linearization to hold.", "knots"),
    Claim("patch-more-contacts", "V", "Patches give many more contact points, and so more work.", "examples"),
    Claim("solver-dominates", "V", "The contact solver takes at least half of the time in all examples.", "examples"),
    Claim("capstan-exponential", "V-A", "The ratio of forces round a post grows exponentially with the wrap angle, as theory says.", "capstan"),
    Claim("capstan-converges", "V-A", "Finer segments converge to the theory.", "capstan"),
    Claim("capstan-steady", "V-A", "The ratio is read once a steady state is reached.", "capstan"),
    Claim("knot-snap", "V-B", "A knot of unknotting number four, pulled tight, snaps from near-circular to collapsed.", "knots"),
    Claim("knot-real", "V-B", "The tightened shape closely matches a real rope.", "no photographs are at hand to compare with", "not shown"),
    Claim("knot-step", "V-B", "The pulling speed demands a step of 1e-4 s.", "knots"),
    Claim("imc-tunnels", "V-B", "The contact-energy method tunnels under the same material, speed and step.", BASELINE, "not shown"),
    Claim("imc-energy", "V-B", "Its contact energy dominates while the rope is loose and falls behind the elastic energy as it tightens.", BASELINE, "not shown"),
    Claim("chain-no-tunnel", "V-B", "The capsule chain does not tunnel.", BASELINE, "not shown"),
    Claim("chain-no-snap", "V-B", "The capsule chain does not snap, and ends in a shape that is not physical.", BASELINE, "not shown"),
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
    Claim("lace-chain-step", "V-E", "A capsule chain needs a step of 1e-4 s.", BASELINE, "not shown"),
    Claim("lace-chain-noise", "V-E", "Its elastic energy fluctuates at much higher frequencies.", BASELINE, "not shown"),
    Claim("rings-rest", "V-F", "A chain of 100 rings stays in static equilibrium for 10 minutes.", "rings"),
    Claim("rings-step", "V-F", "A step of 8e-4 s is small enough to prevent tunneling.", "rings"),
    Claim("rings-linear", "V-F", "Run time grows linearly with the number of rings.", "rings"),
    Claim("adaptive-wish", "VI", "Small steps remain a bottleneck; adaptive steps could help (future work).", "knots"),
]
"""All of them, in the order of the paper."""
