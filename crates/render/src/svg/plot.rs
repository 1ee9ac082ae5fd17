//! A plot of series over two linear axes, for figures of results.

use super::canvas::{Anchor, Canvas, Stroke};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;
const INK: &str = "#333333";

/// Style of the points of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Joined by a line.
    Line,
    /// Discs.
    Disc,
    /// Crosses.
    Cross,
}

/// Points with a name and a style.
#[derive(Clone, Debug)]
pub struct Series {
    name: String,
    color: &'static str,
    mark: Mark,
    points: Vec<(f64, f64)>,
}

impl Series {
    /// A line through points.
    pub fn line(name: impl Into<String>, color: &'static str, points: Vec<(f64, f64)>) -> Self {
        Self::marks(name, color, Mark::Line, points)
    }

    /// Points with marks. Those that are not finite are left out.
    pub fn marks(
        name: impl Into<String>,
        color: &'static str,
        mark: Mark,
        mut points: Vec<(f64, f64)>,
    ) -> Self {
        points.retain(|(x, y)| x.is_finite() && y.is_finite());
        Self { name: name.into(), color, mark, points }
    }
}

/// A plot under construction.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    x_label: String,
    y_label: String,
    series: Vec<Series>,
}

impl Plot {
    /// An empty plot.
    pub fn new(title: &str, x_label: &str, y_label: &str) -> Self {
        let (title, x_label, y_label) = (title.to_owned(), x_label.to_owned(), y_label.to_owned());
        Self { title, x_label, y_label, series: Vec::new() }
    }

    /// Adds a series.
    pub fn add(&mut self, series: Series) {
        self.series.push(series);
    }

    /// The plot as SVG.
    pub fn draw(&self) -> String {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, &self.title);
        let x = Axis::over(self.series.iter().flat_map(|s| s.points.iter().map(|p| p.0)));
        let y = Axis::over(self.series.iter().flat_map(|s| s.points.iter().map(|p| p.1)));
        let place = |(a, b): (f64, f64)| {
            (
                LEFT + x.share(a) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - y.share(b) * (HEIGHT - TOP - BOTTOM),
            )
        };
        canvas.label(LEFT, 26.0, 15.0, INK, Anchor::Start, &self.title);
        let grid = Stroke { color: "#dddddd", width: 1.0, opacity: 1.0 };
        for tick in x.ticks() {
            let (left, base) = place((tick, y.low));
            canvas.polyline(&[(left, base), (left, TOP)], false, &grid);
            canvas.label(left, base + 17.0, 11.0, INK, Anchor::Middle, &x.text(tick));
        }
        for tick in y.ticks() {
            let (left, height) = place((x.low, tick));
            canvas.polyline(&[(left, height), (WIDTH - RIGHT, height)], false, &grid);
            canvas.label(left - 6.0, height + 4.0, 11.0, INK, Anchor::End, &y.text(tick));
        }
        let middle = LEFT + 0.5 * (WIDTH - LEFT - RIGHT);
        canvas.label(middle, HEIGHT - 14.0, 12.0, INK, Anchor::Middle, &self.x_label);
        canvas.label(8.0, TOP - 6.0, 12.0, INK, Anchor::Start, &self.y_label);
        for (i, series) in self.series.iter().enumerate() {
            let points: Vec<_> = series.points.iter().map(|&p| place(p)).collect();
            let key = (WIDTH - RIGHT + 22.0, TOP + 10.0 + 20.0 * i as f64);
            match series.mark {
                Mark::Line => {
                    let stroke = Stroke { color: series.color, width: 1.6, opacity: 1.0 };
                    canvas.polyline(&points, false, &stroke);
                    canvas.polyline(&[(key.0 - 8.0, key.1), (key.0 + 8.0, key.1)], false, &stroke);
                }
                mark => {
                    points.iter().chain([&key]).for_each(|&p| draw_mark(&mut canvas, mark, series.color, p))
                }
            }
            canvas.label(key.0 + 16.0, key.1 + 4.0, 12.0, INK, Anchor::Start, &series.name);
        }
        canvas.finish()
    }
}

fn draw_mark(canvas: &mut Canvas, mark: Mark, color: &str, (x, y): (f64, f64)) {
    const ARM: f64 = 3.5;
    if mark == Mark::Disc {
        canvas.disc(x, y, 4.5, color);
        return;
    }
    let stroke = Stroke { color, width: 1.4, opacity: 1.0 };
    canvas.polyline(&[(x - ARM, y - ARM), (x + ARM, y + ARM)], false, &stroke);
    canvas.polyline(&[(x - ARM, y + ARM), (x + ARM, y - ARM)], false, &stroke);
}

/// A linear axis with round ends.
struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>) -> Self {
        let (mut low, mut high) = values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        let span = if high > low { high - low } else { 1.0 };
        // 1, 2 or 5 times a power of ten: at most eight steps.
        let power = 10f64.powf((span / 8.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| span / s <= 8.0);
        let step = step.unwrap_or(10.0 * power);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high: if high > low { high } else { low + step }, step }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as u32;
        let (low, step) = (self.low, self.step);
        (0..=count).map(move |k| low + step * f64::from(k))
    }

    fn text(&self, tick: f64) -> String {
        let decimals = (-self.step.log10().floor()).max(0.0) as usize;
        format!("{tick:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_round_and_hold_their_data() {
        for values in [vec![0.43, 1.97], vec![-3.0, 1e-3], vec![5.0], vec![], vec![1e-9, 2.2e-9]] {
            let axis = Axis::over(values.iter().copied());
            assert!(values.iter().all(|&v| (-1e-9..=1.0 + 1e-9).contains(&axis.share(v))), "{values:?}");
            assert!(axis.ticks().count() <= 11, "{values:?}");
        }
    }

    #[test]
    fn what_is_not_finite_is_left_out() {
        let mut plot = Plot::new("a", "b", "c");
        plot.add(Series::line("line", INK, vec![(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0)]));
        plot.add(Series::marks("marks", INK, Mark::Cross, vec![(f64::INFINITY, 1.0)]));
        let svg = plot.draw();
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
