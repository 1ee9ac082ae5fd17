//! Invalid data are rejected with a clear error.

use ropewalk_fit::guess::guess;
use ropewalk_fit::npy::Archive;
use ropewalk_fit::{Cable, FitOptions, Parameter, Tracks, evaluate, fit};
use std::io::{Cursor, Write};

const MARKERS: usize = 7;
const FRAMES: usize = 6;

/// An array in NumPy's format.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend(u16::try_from(header.len()).expect("short").to_le_bytes());
    out.extend(header.as_bytes());
    out.extend(data);
    out
}

fn archive(arrays: &[(&str, Vec<u8>)]) -> Result<Archive, String> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).expect("entry");
        zip.write_all(bytes).expect("written");
    }
    Archive::from_reader(zip.finish().expect("archive"), "data.npz").map_err(|e| e.to_string())
}

fn floats(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// A sagging chain of markers that does not move, `scale` in place of meters.
fn positions(scale: f64) -> Vec<f64> {
    let x = [0.0, 0.0, 0.06, 0.15, 0.24, 0.3, 0.3];
    let z = [0.0, -0.03, -0.11, -0.15, -0.11, -0.03, 0.0];
    let frame = x.iter().zip(z).flat_map(|(&x, z)| [x * scale, 0.0, z * scale]);
    (0..FRAMES).flat_map(|_| frame.clone().collect::<Vec<_>>()).collect()
}

fn tracks(values: &[f64]) -> Result<Tracks, String> {
    let shape = format!("(1, {FRAMES}, {MARKERS}, 3)");
    let arrays =
        [("markers", npy("<f8", &shape, &floats(values))), ("rate_hz", npy("<f8", "()", &floats(&[100.0])))];
    Tracks::from_archive(&archive(&arrays)?).map_err(|e| e.to_string())
}

fn cable() -> Cable {
    guess("test", &tracks(&positions(1.0)).expect("tracks"), 0.05, 4e-4).expect("a guess")
}

#[test]
fn sound_data_is_scored() {
    let found = evaluate(&cable(), &tracks(&positions(1.0)).expect("tracks")).expect("a score");
    assert!(found.score.is_finite() && found.score < 0.02, "{found:?}");
    assert_eq!(found.runs.len(), 1);
}

#[test]
fn object_arrays_are_refused() {
    let error = archive(&[("markers", npy("|O", "(1,)", b"\x80\x04N."))]).expect_err("refused");
    assert!(error.contains("object array") && error.contains("markers"), "{error}");
}

#[test]
fn wrong_shape_and_missing_array() {
    let arrays = [
        ("markers", npy("<f8", "(2, 3)", &floats(&[0.0; 6]))),
        ("rate_hz", npy("<f8", "()", &floats(&[100.0]))),
    ];
    let error = Tracks::from_archive(&archive(&arrays).expect("read")).expect_err("refused").to_string();
    assert!(error.contains("[2, 3]") && error.contains("(runs, frames, markers, 3)"), "{error}");
    let error = Tracks::from_archive(&archive(&[]).expect("read")).expect_err("refused").to_string();
    assert!(error.contains("no array 'markers'"), "{error}");
}

#[test]
fn a_length_that_the_shape_contradicts() {
    let error = archive(&[("markers", npy("<f8", "(1, 6, 7, 3)", &floats(&[0.0; 5])))]).expect_err("refused");
    assert!(error.contains("length is not what its shape says"), "{error}");
}

#[test]
fn millimeters_are_named() {
    let error = tracks(&positions(100_000.0)).expect_err("refused");
    assert!(error.contains("millimeters"), "{error}");
    // A short cable in millimeters passes the first look, not the comparison with the cable.
    let error =
        evaluate(&cable(), &tracks(&positions(40.0)).expect("tracks")).expect_err("refused").to_string();
    assert!(error.contains("millimeters"), "{error}");
}

#[test]
fn ends_farther_apart_than_the_cable_is_long() {
    let error =
        evaluate(&cable(), &tracks(&positions(3.0)).expect("tracks")).expect_err("refused").to_string();
    assert!(error.contains("the ends are") && error.contains("run '0'"), "{error}");
}

#[test]
fn gaps_are_refused_by_an_evaluation() {
    let mut values = positions(1.0);
    values[3 * (3 * MARKERS) + 3 * 3] = f64::NAN;
    let error = evaluate(&cable(), &tracks(&values).expect("tracks")).expect_err("refused").to_string();
    assert!(error.contains("frame 3, marker 3") && error.contains("NaN"), "{error}");
    values[0] = f64::INFINITY;
    let error = tracks(&values).expect_err("refused");
    assert!(error.contains("infinite"), "{error}");
}

/// An archive with sound tracks and these arrays as well.
fn with(extra: &[(&str, &str, &[f64])]) -> Result<Tracks, String> {
    let shape = format!("(1, {FRAMES}, {MARKERS}, 3)");
    let mut arrays = vec![
        ("markers", npy("<f8", &shape, &floats(&positions(1.0)))),
        ("rate_hz", npy("<f8", "()", &floats(&[100.0]))),
    ];
    arrays.extend(extra.iter().map(|(name, shape, values)| (*name, npy("<f8", shape, &floats(values)))));
    Tracks::from_archive(&archive(&arrays)?).map_err(|e| e.to_string())
}

#[test]
fn wrenches_shapes_and_torques_that_cannot_be_used() {
    let refused = |extra: &[(&str, &str, &[f64])], parts: &[&str]| {
        let error = with(extra).expect_err("refused");
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    refused(&[("wrenches", "(1, 2, 6)", &[0.0; 12])], &["wrenches", "(1, 6, 2, 6)"]);
    let wrenches: (&str, &str, &[f64]) = ("wrenches", "(1, 6, 2, 6)", &[0.0; 72]);
    assert!(with(&[wrenches]).is_ok());
    refused(&[wrenches, ("wrench_scale", "(2,)", &[0.1, -1.0])], &["wrench_scale", "two positive numbers"]);
    let points: Vec<f64> = (0..6).flat_map(|i| [0.1 * f64::from(i), 0.0, 0.0]).collect();
    let directions = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let all = |points: &[f64], length: f64, directions: &[f64]| {
        with(&[
            ("shapes", "(1, 6, 3)", points),
            ("shape_length", "()", &[length]),
            ("shape_directions", "(1, 2, 3)", directions),
        ])
    };
    assert!(all(&points, 0.6, &directions).is_ok());
    let error = all(&points, 0.3, &directions).expect_err("refused");
    assert!(error.contains("span 0.500 m") && error.contains("shape_length"), "{error}");
    let error = all(&points, 0.6e-3, &directions).expect_err("refused");
    assert!(error.contains("millimeters"), "{error}");
    let error = all(&points, 0.6, &[0.0; 6]).expect_err("refused");
    assert!(error.contains("direction is zero"), "{error}");
    let error = all(&[f64::NAN; 18], 0.6, &directions).expect_err("refused");
    assert!(error.contains("not finite"), "{error}");
    refused(&[("shapes", "(1, 6, 3)", &points)], &["no array 'shape_length'"]);
    refused(&[("shapes", "(6, 3)", &points)], &["[6, 3]", "(shapes, points, 3)"]);
    refused(&[("torque", "(2,)", &[0.1, 0.2])], &["no array 'twist'"]);
    let torque: (&str, &str, &[f64]) = ("torque", "(2,)", &[0.1, 0.2]);
    let length: (&str, &str, &[f64]) = ("twist_length", "()", &[0.5]);
    refused(&[torque, length, ("twist", "(3,)", &[0.0, 1.0, 2.0])], &["3 entries", "'torque' 2"]);
    refused(&[("torque", "(1,)", &[0.0]), length, ("twist", "(1,)", &[1.0])], &["zero throughout"]);
}

#[test]
fn a_frame_rate_that_is_none_and_names_that_are_too_few() {
    let shape = format!("(1, {FRAMES}, {MARKERS}, 3)");
    let markers = ("markers", npy("<f8", &shape, &floats(&positions(1.0))));
    let read = |arrays: &[(&str, Vec<u8>)]| {
        Tracks::from_archive(&archive(arrays).expect("read")).expect_err("refused").to_string()
    };
    assert!(read(core::slice::from_ref(&markers)).contains("no array 'rate_hz'"));
    let error = read(&[markers.clone(), ("rate_hz", npy("<f8", "()", &floats(&[0.0])))]);
    assert!(error.contains("'rate_hz' is 0"), "{error}");
    let rate = ("rate_hz", npy("<f8", "()", &floats(&[100.0])));
    let error = read(&[markers, rate, ("names", npy("<f8", "(2,)", &floats(&[1.0, 2.0])))]);
    assert!(error.contains("2 entries for 1 runs"), "{error}");
    assert!(
        evaluate(&cable(), &Tracks::default()).is_err_and(|e| e.to_string().contains("no marker tracks"))
    );
}

#[test]
fn unknown_parameters_and_keys() {
    let error = Parameter::from_name("youngs_modulus").expect_err("refused").to_string();
    assert!(error.contains("youngs_modulus") && error.contains("bending_stiffness"), "{error}");
    let text = cable().to_text("made by a test").expect("text");
    assert_eq!(Cable::parse(&text), Ok(cable()));
    let error = Cable::parse(&text.replace("theta", "thetta")).expect_err("refused");
    assert!(error.contains("thetta"), "{error}");
    assert!(cable().with("numerics.theta", "2").is_err_and(|e| e.contains("0.5 to 1")));
    assert!(cable().with("numeric.theta", "0.6").is_err_and(|e| e.contains("numeric")));
    assert_eq!(cable().with("numerics.theta", "0.6").map(|c| c.numerics.theta), Ok(0.6));
}

#[test]
fn folds_and_runs_that_do_not_exist() {
    let tracks = tracks(&positions(1.0)).expect("tracks");
    let parameters = vec![Parameter::BendingStiffness];
    let with =
        |options: FitOptions| fit(&cable(), &tracks, &options, &mut |_| {}).expect_err("refused").to_string();
    assert!(
        with(FitOptions { parameters: parameters.clone(), folds: 3, ..FitOptions::default() })
            .contains("3 folds of 1")
    );
    assert!(with(FitOptions { parameters, runs: vec![4], ..FitOptions::default() }).contains("run 4"));
    assert!(with(FitOptions::default()).contains("no parameter"));
    let of = |names: &[&str]| {
        let parameters = names.iter().map(|name| Parameter::from_name(name).expect("a name")).collect();
        with(FitOptions { parameters, ..FitOptions::default() })
    };
    let error = of(&["drag_across", "bending_stiffness", "drag_across"]);
    assert!(error.contains("'drag_across' is named twice"), "{error}");
    // It was an index out of bounds.
    let error = of(&["curl1@99"]);
    assert!(error.contains("'curl1@99'") && error.contains("1 to 5"), "{error}");
    assert!(of(&["curl2@0"]).contains("'curl2@0'"));
}

/// A header of no letters made a list as long as it said; zeros inflate a thousand times; a FIFO blocked.
#[test]
fn what_would_take_memory_or_time_without_end() {
    let error = archive(&[("name", npy("<U0", "(1000000000000000000,)", &[]))]).expect_err("refused");
    assert!(error.contains("no letters"), "{error}");
    let deflated =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("markers.npy", deflated).expect("entry");
    zip.write_all(&npy("<f8", "(2500000,)", &vec![0; 20_000_000])).expect("written");
    let zip = zip.finish().expect("archive");
    assert!(zip.get_ref().len() < 100_000);
    let error = Archive::from_reader(zip, "data.npz").expect_err("refused").to_string();
    assert!(error.contains("far more when inflated"), "{error}");
    #[cfg(unix)]
    {
        let dir = tempfile::tempdir().expect("a folder");
        let fifo = dir.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
        assert!(Cable::read(&fifo).is_err_and(|e| e.to_string().contains("not a regular file")));
        assert!(Archive::read(&fifo).is_err_and(|e| e.to_string().contains("not a regular file")));
    }
}
