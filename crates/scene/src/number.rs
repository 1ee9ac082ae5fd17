//! Numbers for people to read.

/// `value` with `digits` significant digits: plain between 1e-4 and 1e6, otherwise with an exponent;
/// zeros at the end of a fraction are dropped.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return "not finite".to_owned();
    }
    let digits = digits.max(1);
    // Let the formatter round first: 9.9996 at four digits is 10.00, one decade up.
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        trim_zeros(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", trim_zeros(mantissa))
    }
}

/// Five significant digits: enough for a summary.
pub fn short(value: f64) -> String {
    significant(value, 5)
}

/// `value` in `unit` with a prefix that leaves one to three digits before the point.
pub fn with_prefix(value: f64, digits: usize, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 9] = [
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
        (1e-15, "f"),
    ];
    if value == 0.0 || !value.is_finite() {
        return format!("{} {unit}", significant(value, digits));
    }
    let size = value.abs() * (1.0 + 1e-12);
    match PREFIXES.iter().find(|(factor, _)| size >= *factor) {
        Some((factor, prefix)) if size < 1e12 => {
            format!("{} {prefix}{unit}", significant(value / factor, digits))
        }
        _ => format!("{} {unit}", significant(value, digits)),
    }
}

/// A time span in the unit that suits it.
pub fn seconds(value: f64) -> String {
    if value >= 120.0 {
        return format!("{} min {:.0} s", (value / 60.0).floor(), value % 60.0);
    }
    with_prefix(value, 3, "s")
}

fn trim_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_survive_rounding_and_range() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.124_561_77, "0.12456"),
            (9.999_96, "10"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.2346e6"),
            (-2.5e-7, "-2.5e-7"),
            (0.000_1, "0.0001"),
            (f64::NAN, "not finite"),
        ] {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn prefixes_keep_one_to_three_digits() {
        for (value, text) in [
            (0.0, "0 m"),
            (1.0, "1 m"),
            (0.001, "1 mm"),
            (0.0254, "25.4 mm"),
            (2e-4, "200 µm"),
            (1500.0, "1.5 km"),
            (-3e-3, "-3 mm"),
        ] {
            assert_eq!(with_prefix(value, 4, "m"), text);
        }
        assert_eq!(seconds(192.0), "3 min 12 s");
    }
}
