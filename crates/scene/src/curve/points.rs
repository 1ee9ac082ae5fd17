//! Points from text: three columns by comma, semicolon or space, `#` for comments.

use glam::DVec3;

/// Most points of a file.
pub(crate) const MOST_POINTS: usize = 1_000_001;

/// The points in `text`, or an error with its line.
pub(crate) fn parse_points(text: &str) -> Result<Vec<DVec3>, String> {
    let mut points = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line_number = i + 1;
        let content = line.split('#').next().unwrap_or("");
        let words: Vec<&str> = content
            .split(|c: char| c == ',' || c == ';' || c.is_whitespace())
            .filter(|w| !w.is_empty())
            .take(4)
            .collect();
        let [x, y, z] = match words.as_slice() {
            [] => continue,
            [x, y, z] => [*x, *y, *z],
            other => {
                let found = if other.len() > 3 { "more than three".into() } else { other.len().to_string() };
                return Err(format!("line {line_number} has {found} columns, expected three (x y z in m)"));
            }
        };
        let number = |word: &str| {
            word.parse::<f64>()
                .ok()
                .filter(|x| x.is_finite())
                .ok_or_else(|| format!("line {line_number}: `{word}` is not a finite number"))
        };
        if points.len() >= MOST_POINTS {
            return Err(format!("more than {MOST_POINTS} points"));
        }
        points.push(DVec3::new(number(x)?, number(y)?, number(z)?));
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_by_comma_or_space_with_comments() {
        let points = parse_points("# x y z\n0 0 0\n 1e-3,2e-3, 3e-3 # here\n\n4;5\t6\n").unwrap();
        assert_eq!(points, [DVec3::ZERO, DVec3::new(1e-3, 2e-3, 3e-3), DVec3::new(4.0, 5.0, 6.0)]);
        assert!(parse_points("0 0 0\n1 2\n").unwrap_err().starts_with("line 2 has 2 columns"));
        assert!(parse_points("0 0 0 0").unwrap_err().contains("more than three"));
        assert!(parse_points("0 nan 0").unwrap_err().contains("`nan`"));
    }
}
