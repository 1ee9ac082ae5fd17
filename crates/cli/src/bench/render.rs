//! Images of two arms at 640×480, one sample a pixel, on one thread.

use super::{BenchReference, BenchRow, BenchTime};
use ropewalk_render::{Camera, Frame, ImageSize, Renderer, Stage, Style, View};
use std::time::Instant;

/// Series of images; the fastest counts.
const SERIES: usize = 4;
/// Images in a series. The system counts a thread's time in ticks of some ms, so that a single image cannot be timed.
const IMAGES: usize = 25;
/// Budget of an image in ms of CPU time, so that a camera of 60 Hz does not drop images.
const LIMIT: f64 = 15.0;

/// Measures colors, depths and masks.
pub(super) fn run() -> Vec<BenchRow> {
    let mut rows = Vec::new();
    for name in ["two_arms", "shoelace"] {
        let Ok(scene) = ropewalk_scene::load_named(name, &[]) else { continue };
        let Ok(size) = ImageSize::new(640, 480) else { continue };
        let (stage, frame) = (Stage::of_scene(&scene), Frame::of_state(&scene.model, &scene.state));
        let camera = View::Iso.camera(&stage.points(&frame), size.aspect(), 0.9, Some(0.55));
        type Make = fn(&mut Renderer, &Stage, &Frame, &Camera, ImageSize) -> bool;
        let modes: [(&str, Make); 3] = [
            ("rgb", |r, s, f, c, size| r.image(s, f, c, size, &Style::default(), None).is_ok()),
            ("depth", |r, s, f, c, size| r.depth(s, f, c, size).is_ok()),
            ("mask", |r, s, f, c, size| r.mask(s, f, c, size).is_ok()),
        ];
        for (mode, make) in modes {
            let mut renderer = Renderer::new();
            let mut best = f64::INFINITY;
            for _ in 0..SERIES {
                let (started, before) = (Instant::now(), thread_seconds());
                if (0..IMAGES).all(|_| make(&mut renderer, &stage, &frame, &camera, size)) {
                    let spent = before.zip(thread_seconds()).map(|(from, to)| to - from);
                    let spent = spent.unwrap_or_else(|| started.elapsed().as_secs_f64());
                    best = best.min(1e3 * spent / IMAGES as f64);
                }
            }
            rows.push(BenchRow {
                name: "render",
                parameter: Some(format!("{name}/{mode}")),
                time: BenchTime::MsPerImage(best),
                threads: 1,
                stages: Vec::new(),
                reference: Some(BenchReference { what: "limit".to_owned(), value: LIMIT }),
            });
        }
    }
    rows
}

/// CPU time of this thread in s, where the system reports it (Linux): other processes do not count.
fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(1e-9 * text.split_whitespace().next()?.parse::<f64>().ok()?)
}
