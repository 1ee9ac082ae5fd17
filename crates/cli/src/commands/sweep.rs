//! `ropewalk sweep`: a scene with many values, or one of several parts of that, as a NumPy archive.

use crate::console;
use crate::exit::{CommandError, Outcome};
use rayon::prelude::*;
use ropewalk_scene::npz::NpzWriter;
use ropewalk_scene::output_file::WholeFile;
use ropewalk_scene::{ClaimResult, Driver, load_named};
use ropewalk_sim::measure::positions;
use serde_json::json;
use std::io;
use std::path::{Path, PathBuf};

/// Tasks of a sweep, at most.
const MOST_TASKS: usize = 10_000_000;

/// Run a scene with many values, and keep where it ends and what its claims come to
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Name of an embedded scene (see `ropewalk list`), or a scene file
    scene: String,

    /// Values of a key, such as rod.rope.friction=0.1,0.2,0.3; of several keys all combinations are taken
    #[arg(long, value_name = "PATH=A,B,...", required = true)]
    vary: Vec<String>,

    /// Override a value of the scene in all runs; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,

    /// Do only part I of N, from 0 on: every Nth task. For arrays of jobs, as of Slurm
    #[arg(long, value_name = "I/N", default_value = "0/1")]
    shard: String,

    /// Directory for shard-I-of-N.npz; a shard that is there is left as it is
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Threads; one for each core by default
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
}

/// One run of the scene.
struct Task {
    number: usize,
    /// Index of the value of each key.
    choice: Vec<usize>,
}

/// Result of a run.
struct Ended {
    /// Whether all steps converged.
    done: bool,
    time: f64,
    claims: Vec<ClaimResult>,
    /// Name and nodes of each rod.
    rods: Vec<(String, Vec<f64>)>,
}

/// Carries out the command.
pub(crate) fn execute(arguments: &Arguments) -> Result<Outcome, CommandError> {
    let varied = arguments.vary.iter().map(|text| values_of(text)).collect::<Result<Vec<_>, _>>()?;
    let (part, parts) = shard_of(&arguments.shard)?;
    let tasks = tasks_of(&varied, part, parts)?;
    let path = arguments.out.join(format!("shard-{part}-of-{parts}.npz"));
    if path.exists() {
        console::print(&format!("{} is there already\n", path.display()))?;
        return Ok(Outcome::Success);
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads)
        .build()
        .map_err(|e| CommandError::input(format!("--threads {}: {e}", arguments.threads), "ask for fewer"))?;
    let run = |task: &Task| run_task(arguments, &varied, task);
    let ended: Vec<Ended> = pool.install(|| tasks.par_iter().map(run).collect::<Result<_, _>>())?;
    std::fs::create_dir_all(&arguments.out).map_err(CommandError::file(&arguments.out))?;
    write(&path, arguments, &varied, &tasks, &ended).map_err(CommandError::file(&path))?;
    let failed = ended.iter().filter(|end| !end.done).count();
    console::print(&format!("{}: {} tasks, {failed} with a failed step\n", path.display(), tasks.len()))?;
    Ok(if failed > 0 { Outcome::StepFailed } else { Outcome::Success })
}

/// A key, and its values as texts: parts between commas that are in no brackets or quotes.
fn values_of(text: &str) -> Result<(String, Vec<String>), CommandError> {
    let wrong = || {
        CommandError::input(format!("--vary {text}"), "give a path and its values: rod.rope.friction=0.1,0.2")
    };
    let (key, list) = text.split_once('=').ok_or_else(wrong)?;
    let (mut values, mut depth, mut quoted) = (vec![String::new()], 0_i32, false);
    for c in list.chars() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = values.last_mut() {
            last.push(c);
        }
    }
    let values: Vec<String> = values.iter().map(|value| value.trim().to_owned()).collect();
    if key.trim().is_empty() || values.iter().any(String::is_empty) {
        return Err(wrong());
    }
    Ok((key.trim().to_owned(), values))
}

/// Index of the part, and number of parts.
fn shard_of(text: &str) -> Result<(usize, usize), CommandError> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    numbers.filter(|(i, n)| i < n).ok_or_else(|| {
        CommandError::input(
            format!("--shard {text}"),
            "give the number of a part, from 0 on, and how many there are: 0/4",
        )
    })
}

/// The tasks of a part.
fn tasks_of(varied: &[(String, Vec<String>)], part: usize, parts: usize) -> Result<Vec<Task>, CommandError> {
    let total = varied.iter().try_fold(1_usize, |n, (_, values)| n.checked_mul(values.len()));
    let total = total.filter(|&n| n <= MOST_TASKS).ok_or_else(|| {
        CommandError::input(
            format!("--vary: there are more than {MOST_TASKS} combinations"),
            "vary fewer keys",
        )
    })?;
    let choice = |mut number: usize| {
        let mut choice = vec![0; varied.len()];
        // The last key changes fastest.
        for (at, (_, values)) in choice.iter_mut().zip(varied).rev() {
            *at = number % values.len();
            number /= values.len();
        }
        choice
    };
    Ok((part..total).step_by(parts).map(|number| Task { number, choice: choice(number) }).collect())
}

fn run_task(
    arguments: &Arguments,
    varied: &[(String, Vec<String>)],
    task: &Task,
) -> Result<Ended, CommandError> {
    let mut overrides = arguments.overrides.clone();
    let chosen = varied.iter().zip(&task.choice);
    overrides.extend(chosen.map(|((key, values), &at)| format!("{key}={}", values[at])));
    let scene = load_named(&arguments.scene, &overrides)?;
    let mut driver = Driver::new(&scene);
    let mut done = true;
    while done && !driver.is_done() {
        done = driver.step().is_ok();
    }
    let nodes = |r: usize| positions(driver.state(), r).iter().flat_map(|x| x.to_array()).collect();
    let rods = scene.model.rod_names.iter().enumerate().map(|(r, name)| (name.clone(), nodes(r)));
    Ok(Ended { done, time: driver.state().time, claims: driver.claims(), rods: rods.collect() })
}

/// Writes the archive, complete or not at all: a job that is stopped does not leave part of a shard. Every array has
/// a row for each task, and `sweep.json` describes them.
fn write(
    path: &Path,
    arguments: &Arguments,
    varied: &[(String, Vec<String>)],
    tasks: &[Task],
    ended: &[Ended],
) -> io::Result<()> {
    let mut npz = NpzWriter::new(WholeFile::create(path)?);
    let count = tasks.len();
    let column = |of: &dyn Fn(usize) -> f64| (0..count).map(of).collect::<Vec<f64>>();
    npz.array("task", &[count], &column(&|i| tasks[i].number as f64))?;
    npz.array("converged", &[count], &column(&|i| f64::from(u8::from(ended[i].done))))?;
    npz.array("time", &[count], &column(&|i| ended[i].time))?;
    for (k, (key, values)) in varied.iter().enumerate() {
        npz.array(&format!("choice/{key}"), &[count], &column(&|i| tasks[i].choice[k] as f64))?;
        let numbers: Option<Vec<f64>> = values.iter().map(|value| value.parse().ok()).collect();
        if let Some(numbers) = numbers {
            npz.array(&format!("value/{key}"), &[count], &column(&|i| numbers[tasks[i].choice[k]]))?;
        }
    }
    let mut names: Vec<&str> =
        ended.iter().flat_map(|end| end.claims.iter().map(|c| c.name.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let of = |i: usize| ended[i].claims.iter().find(|claim| claim.name == name);
        // A claim that is left out of a run has no numbers there.
        npz.array(
            &format!("claim/{name}/measured"),
            &[count],
            &column(&|i| of(i).map_or(f64::NAN, |c| c.measured)),
        )?;
        npz.array(
            &format!("claim/{name}/reference"),
            &[count],
            &column(&|i| of(i).map_or(f64::NAN, |c| c.reference)),
        )?;
    }
    if let Some(first) = ended.first() {
        for (r, (name, nodes)) in first.rods.iter().enumerate() {
            // A common array requires the same number of nodes in all runs.
            if ended.iter().all(|end| end.rods.get(r).is_some_and(|(_, x)| x.len() == nodes.len())) {
                let all: Vec<f64> = ended.iter().flat_map(|end| end.rods[r].1.iter().copied()).collect();
                npz.array(&format!("positions/{name}"), &[count, nodes.len() / 3, 3], &all)?;
            }
        }
    }
    let varied: Vec<_> = varied.iter().map(|(key, values)| json!({ "key": key, "values": values })).collect();
    let about = json!({ "scene": arguments.scene, "set": arguments.overrides, "vary": varied, "shard": arguments.shard });
    npz.text("sweep.json", &about.to_string())?;
    npz.finish()?.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_split_outside_of_brackets() {
        let (key, values) = values_of("gravity=[0, 0, -9.81], [0, 0, -1.62]").unwrap();
        assert_eq!((key.as_str(), values.len(), values[1].as_str()), ("gravity", 2, "[0, 0, -1.62]"));
        assert_eq!(values_of("a.b=1,2,3").unwrap().1, ["1", "2", "3"]);
        for wrong in ["a", "=1", "a=", "a=1,,2"] {
            assert!(values_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parts_have_every_task_once() {
        let varied = [("a".to_owned(), vec!["1".to_owned(); 3]), ("b".to_owned(), vec!["1".to_owned(); 4])];
        let mut all: Vec<usize> =
            (0..5).flat_map(|part| tasks_of(&varied, part, 5).unwrap()).map(|task| task.number).collect();
        all.sort_unstable();
        assert_eq!(all, (0..12).collect::<Vec<_>>());
        assert_eq!(tasks_of(&varied, 0, 1).unwrap()[7].choice, [1, 3]);
        assert!(shard_of("4/4").is_err() && shard_of("x").is_err() && shard_of("3/4").is_ok());
    }
}
