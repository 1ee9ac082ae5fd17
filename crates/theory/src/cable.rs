//! Flexible cables: the catenary, and friction round a post.

/// a with 2a sinh(d/2a) = √(L² − h²): the parameter in m of the catenary z = a cosh(x/a) of a cable of `length` (m) between
/// two points at a horizontal distance `span` (m) and a height difference `height` (m); `None` if it is taut or has no span.
/// The horizontal tension is w a. Source: Irvine, *Cable Structures*, § 1.2.
pub fn catenary_parameter(span: f64, length: f64, height: f64) -> Option<f64> {
    let chord = (length * length - height * height).max(0.0).sqrt();
    if !(span > 0.0 && chord > span * (1.0 + 1e-9)) {
        return None;
    }
    // x = d/2a: sinh x / x = chord/d rises from 1.
    let (mut low, mut high) = (1e-6, 50.0);
    for _ in 0..200 {
        let x: f64 = 0.5 * (low + high);
        if x.sinh() / x < chord / span { low = x } else { high = x }
    }
    Some(0.5 * span / low)
}

/// Sag in m of a cable between two level points.
pub fn catenary_sag(span: f64, length: f64) -> Option<f64> {
    let a = catenary_parameter(span, length, 0.0)?;
    Some(a * ((0.5 * span / a).cosh() - 1.0))
}

/// exp(μφ): by how much the pulls on both sides of a post differ at most, round which a thin rope lies by the angle φ (rad).
/// Source: Euler 1769; Eytelwein 1808.
pub fn capstan_ratio(friction: f64, angle: f64) -> f64 {
    (friction * angle).exp()
}

/// a in T₂/T₁ = exp(a φ) for a rope of radius r that slides round a post of radius R: friction μ acts at the skin, so
/// a (1 + μ a ρ) = μ (1 − ρ) with ρ = r/(R + r).
pub fn capstan_exponent(friction: f64, radius: f64, post: f64) -> f64 {
    let rho = radius / (post + radius);
    // The positive root, written without a difference of near numbers.
    let (p, q) = (friction * rho, friction * (1.0 - rho));
    2.0 * q / (1.0 + (1.0 + 4.0 * p * q).sqrt())
}

/// Lever arm in m of the force of a belt that slips over half a turn of a pulley: its pulls T₁ and T₂ are parallel, so the force is
/// T₁ + T₂, the torque (T₁ − T₂) (R + r), and T₁/T₂ = exp(a π) makes their ratio (R + r) tanh(a π/2).
pub fn slipping_belt_lever(friction: f64, radius: f64, pulley: f64) -> f64 {
    let exponent = capstan_exponent(friction, radius, pulley) * core::f64::consts::PI;
    (pulley + radius) * (0.5 * exponent).tanh()
}

/// Pull in N at the ends of a thin rope with a loose overhand knot without friction: 2π² EI/e², e the end shortening in m.
/// Source: Audoly, Clauvelin, Neukirch, *Elastic knots*, Phys. Rev. Lett. 99, 164301, 2007.
pub fn loose_knot_pull(bend: f64, shortening: f64) -> f64 {
    2.0 * (core::f64::consts::PI / shortening).powi(2) * bend
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_catenary_is_found_from_its_length() {
        let (a, d) = (0.7_f64, 1.1);
        let length = 2.0 * a * (d / (2.0 * a)).sinh();
        assert!((catenary_parameter(d, length, 0.0).unwrap() - a).abs() < 1e-12);
        assert_eq!(catenary_parameter(1.0, 0.99, 0.0), None);
        // Irvine's sag of a chain of length 1 over a span of 0.9.
        assert!((catenary_sag(0.9, 1.0).unwrap() - 0.190_709).abs() < 1e-6);
    }

    #[test]
    fn the_skin_of_a_thin_rope_is_its_axis() {
        assert!((capstan_exponent(0.3, 1e-9, 1.0) - 0.3).abs() < 1e-8);
        let (mu, r, post) = (0.3, 1e-3, 0.03);
        let (a, rho) = (capstan_exponent(mu, r, post), r / (post + r));
        assert!((a * (1.0 + mu * a * rho) - mu * (1.0 - rho)).abs() < 1e-15);
        assert!((capstan_ratio(0.2, core::f64::consts::PI) - 1.874_456).abs() < 1e-6);
    }
}
