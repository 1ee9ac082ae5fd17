//! Numeric and text arrays of a NumPy `.npz` archive, deflated or not.
//!
//! Read are little-endian `f4`, `f8`, `i4`, `i8`, `b1` in C order, and fixed-width text (`U`). Object arrays are
//! pickles, which can run code; they are rejected. Source of the format: NumPy reference, `numpy.lib.format`.

use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::FitError;
use crate::regular_file;

/// Greatest ratio of inflated to compressed size, unless below [`SMALL_BYTES`]. (Measured positions compress by a
/// tenth.)
const MOST_EXPANSION: u64 = 32;
const SMALL_BYTES: u64 = 1 << 24;

/// Numbers of an array, or its texts.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Numbers in C order.
    Numbers(Vec<f64>),
    /// Texts in C order.
    Texts(Vec<String>),
}

/// An array with its shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths of the axes; empty for a single value.
    pub shape: Vec<usize>,
    /// Its contents.
    pub content: Content,
}

impl Array {
    /// The numbers, or `None` for texts.
    pub fn numbers(&self) -> Option<&[f64]> {
        match &self.content {
            Content::Numbers(numbers) => Some(numbers),
            Content::Texts(_) => None,
        }
    }
}

/// The arrays of an archive by name.
#[derive(Clone, Debug, Default)]
pub struct Archive {
    /// Its path, for messages.
    pub path: String,
    /// Arrays by name, without `.npy`.
    pub arrays: BTreeMap<String, Array>,
}

impl Archive {
    /// Reads the archive at `path`.
    pub fn read(path: &Path) -> Result<Self, FitError> {
        let name = path.display().to_string();
        Self::from_reader(regular_file::open(path)?.0, &name)
    }

    /// Reads an archive; `path` is for messages. Memory is proportional to the size of the file.
    pub fn from_reader(mut file: impl Read + Seek, path: &str) -> Result<Self, FitError> {
        let data = |what: String| FitError::Data {
            path: path.to_owned(),
            what,
            hint: "write it with numpy.savez or numpy.savez_compressed from arrays of float32 or float64"
                .to_owned(),
        };
        let size = file.seek(SeekFrom::End(0)).map_err(|e| data(e.to_string()))?;
        let mut left = SMALL_BYTES.max(size.saturating_mul(MOST_EXPANSION));
        let mut zip =
            zip::ZipArchive::new(file).map_err(|e| data(format!("not an archive of NumPy arrays: {e}")))?;
        let mut out = Self { path: path.to_owned(), arrays: BTreeMap::new() };
        for index in 0..zip.len() {
            let entry = zip.by_index(index).map_err(|e| data(format!("entry {index}: {e}")))?;
            let full = entry.name().map_err(|e| data(format!("entry {index}: {e}")))?.into_owned();
            let Some(name) = full.strip_suffix(".npy") else { continue };
            let mut bytes = Vec::new();
            entry.take(left + 1).read_to_end(&mut bytes).map_err(|e| data(format!("array '{name}': {e}")))?;
            left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
                data(format!("array '{name}': the {size} bytes of the file hold far more when inflated"))
            })?;
            let array = parse(&bytes).map_err(|what| data(format!("array '{name}': {what}")))?;
            out.arrays.insert(name.to_owned(), array);
        }
        Ok(out)
    }

    /// The numbers and shape of array `name`.
    pub fn numbers(&self, name: &str) -> Result<(&[usize], &[f64]), FitError> {
        let array = self.arrays.get(name).ok_or_else(|| {
            let have: Vec<_> = self.arrays.keys().map(String::as_str).collect();
            self.wrong(
                format!("there is no array '{name}' (there are: {})", have.join(", ")),
                "see docs/real-cables.md for what a file holds",
            )
        })?;
        let numbers = array
            .numbers()
            .ok_or_else(|| self.wrong(format!("array '{name}' holds text"), "give numbers"))?;
        Ok((&array.shape, numbers))
    }

    /// An error about this archive.
    pub fn wrong(&self, what: impl Into<String>, hint: impl Into<String>) -> FitError {
        FitError::Data { path: self.path.clone(), what: what.into(), hint: hint.into() }
    }
}

fn parse(bytes: &[u8]) -> Result<Array, String> {
    let bad = || "damaged header".to_owned();
    let rest = bytes.strip_prefix(b"\x93NUMPY").ok_or_else(bad)?;
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(bad)?;
    let (length, rest) = match version[0] {
        1 => rest.split_first_chunk::<2>().map(|(l, r)| (usize::from(u16::from_le_bytes(*l)), r)),
        2 | 3 => rest.split_first_chunk::<4>().map(|(l, r)| (u32::from_le_bytes(*l) as usize, r)),
        v => return Err(format!("version {v} of the format is not known")),
    }
    .ok_or_else(bad)?;
    let (header, data) = rest.split_at_checked(length).ok_or_else(bad)?;
    let header = core::str::from_utf8(header).map_err(|_| bad())?;
    let descr = quoted(header, "'descr':").ok_or("it is a structured array; give plain numbers")?;
    if descr.contains('O') {
        return Err(
            "it is an object array (a pickle), which is not read; give one float array of a fixed shape"
                .into(),
        );
    }
    if !header.contains("'fortran_order': False") {
        return Err("it is in Fortran order; save numpy.ascontiguousarray of it".into());
    }
    let tuple = header.split_once("'shape': (").and_then(|(_, t)| t.split_once(')')).ok_or_else(bad)?.0;
    let numbers = tuple.split(',').map(str::trim).filter(|n| !n.is_empty());
    let shape = numbers.map(|n| n.parse().ok()).collect::<Option<Vec<usize>>>().ok_or_else(bad)?;
    let count = shape.iter().try_fold(1_usize, |p, &n| p.checked_mul(n)).ok_or_else(bad)?;
    let content = contents(descr, data, count)?;
    Ok(Array { shape, content })
}

/// The text in quotes that follows `key`.
fn quoted<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let after = header.split_once(key)?.1.trim_start();
    after.strip_prefix('\'')?.split_once('\'').map(|(text, _)| text)
}

fn contents(descr: &str, data: &[u8], count: usize) -> Result<Content, String> {
    let size = |width: usize| {
        let whole = count.checked_mul(width) == Some(data.len());
        whole.then_some(()).ok_or_else(|| "its length is not what its shape says".to_owned())
    };
    fn each<const N: usize>(data: &[u8], number: impl Fn([u8; N]) -> f64) -> Content {
        Content::Numbers(data.as_chunks().0.iter().map(|&c| number(c)).collect())
    }
    match descr {
        "<f8" => size(8).map(|()| each(data, f64::from_le_bytes)),
        "<f4" => size(4).map(|()| each(data, |c| f64::from(f32::from_le_bytes(c)))),
        "<i8" => size(8).map(|()| each(data, |c| i64::from_le_bytes(c) as f64)),
        "<i4" => size(4).map(|()| each(data, |c| f64::from(i32::from_le_bytes(c)))),
        "|b1" => size(1).map(|()| each(data, |[c]| f64::from(u8::from(c != 0)))),
        _ => {
            let letters = descr.strip_prefix("<U").and_then(|n| n.parse::<usize>().ok());
            let letters =
                letters.ok_or_else(|| format!("its type '{descr}' is not read; give float32 or float64"))?;
            size(4 * letters)?;
            let text = |chunk: &[u8]| {
                let letters = chunk.as_chunks().0.iter().map(|c| u32::from_le_bytes(*c));
                letters.take_while(|&c| c != 0).filter_map(char::from_u32).collect::<String>()
            };
            // Any number of empty texts would fit into no bytes.
            if letters == 0 {
                return Err("its texts have no letters".to_owned());
            }
            Ok(Content::Texts(data.chunks(4 * letters).map(text).collect()))
        }
    }
}
