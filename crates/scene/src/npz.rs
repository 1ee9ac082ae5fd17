//! Arrays in NumPy's `.npz` format: a zip archive, not compressed, of one `.npy` file per array.
//!
//! An `.npy` file is the magic `\x93NUMPY`, the version 1.0, the length of a header, the header (a
//! Python dictionary as text, padded to a multiple of 64 bytes), and the numbers. Only little-endian
//! `f64` in C order is written and read. The archive carries no dates, so that the same numbers give
//! the same bytes. Source: NumPy reference, `numpy.lib.format`.

use ropewalk_sim::NamedArray;
use std::collections::BTreeMap;
use std::io::{self, Error, ErrorKind, Read, Seek, SeekFrom, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

/// Beyond this size an entry needs the 64-bit fields of the zip format.
const ZIP32_BYTES: u64 = 0xffff_0000;

/// Writes arrays one after the other.
#[derive(Debug)]
pub struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Starts an archive in `file`.
    pub fn new(file: W) -> Self {
        Self { zip: ZipWriter::new(file) }
    }

    /// Adds an array whose numbers `write_numbers` writes as little-endian `f64`.
    pub fn array_with(
        &mut self,
        name: &str,
        shape: &[usize],
        write_numbers: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let bytes = 8 * shape.iter().product::<usize>() as u64;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default())
            .large_file(bytes > ZIP32_BYTES);
        self.zip.start_file(format!("{name}.npy"), options)?;
        self.zip.write_all(&npy_header(shape))?;
        write_numbers(&mut self.zip)
    }

    /// Adds an array.
    pub fn array(&mut self, name: &str, shape: &[usize], data: &[f64]) -> io::Result<()> {
        self.array_with(name, shape, |out| out.write_all(&little_endian(data)))
    }

    /// Adds an entry that is text, not an array. NumPy loads it as bytes under its full name.
    pub fn text(&mut self, name: &str, text: &str) -> io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .last_modified_time(DateTime::default());
        self.zip.start_file(name, options)?;
        self.zip.write_all(text.as_bytes())
    }

    /// Ends the archive.
    pub fn finish(self) -> io::Result<W> {
        Ok(self.zip.finish()?)
    }
}

/// The bytes of `data`.
pub fn little_endian(data: &[f64]) -> Vec<u8> {
    data.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The numbers in `bytes`.
pub fn from_little_endian(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|chunk| f64::from_le_bytes(*chunk)).collect()
}

fn npy_header(shape: &[usize]) -> Vec<u8> {
    let mut tuple: String = shape.iter().map(|n| format!("{n}, ")).collect();
    // Python's tuples: (), (3,), (3, 4).
    tuple.truncate(tuple.trim_end_matches([',', ' ']).len() + usize::from(shape.len() == 1));
    let mut text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({tuple}), }}");
    let used = 10 + text.len() + 1;
    text.push_str(&" ".repeat(used.next_multiple_of(64) - used));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((text.len() as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

/// Contents of an archive.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Npz {
    /// Arrays by name.
    pub arrays: BTreeMap<String, NamedArray>,
    /// Texts by name.
    pub texts: BTreeMap<String, String>,
}

/// All arrays and texts of an archive. Memory is proportional to the size of the file: entries that overlap, are
/// compressed or claim to be longer than the file are rejected before anything is read.
pub fn read_npz(mut file: impl Read + Seek) -> io::Result<Npz> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut zip = ZipArchive::new(file).map_err(|error| invalid(error.to_string()))?;
    check_entries(&mut zip, size)?;
    let mut out = Npz::default();
    for index in 0..zip.len() {
        let entry = zip.by_index(index).map_err(|error| invalid(error.to_string()))?;
        let entry_name = entry.name().map_err(|error| invalid(error.to_string()))?.into_owned();
        let mut bytes = Vec::new();
        let claimed = entry.size();
        entry.take(claimed).read_to_end(&mut bytes)?;
        let bad = |what: &str| invalid(format!("'{entry_name}' is not {what}"));
        let twice = match entry_name.strip_suffix(".npy") {
            Some(name) => {
                let array = parse_npy(name, &bytes).ok_or_else(|| bad("an array of f64"))?;
                out.arrays.insert(name.to_owned(), array).is_some()
            }
            None => {
                let text = String::from_utf8(bytes).map_err(|_| bad("text"))?;
                out.texts.insert(entry_name.clone(), text).is_some()
            }
        };
        if twice {
            return Err(invalid(format!("'{entry_name}' is there twice")));
        }
    }
    Ok(out)
}

/// The entries of a whole archive are stored as they are, one after the other: together no longer than the file.
fn check_entries<R: Read + Seek>(zip: &mut ZipArchive<R>, size: u64) -> io::Result<()> {
    let mut ends = 0_u64;
    for index in 0..zip.len() {
        let entry = zip.by_index(index).map_err(|error| invalid(error.to_string()))?;
        if entry.compression() != CompressionMethod::Stored || entry.size() != entry.compressed_size() {
            return Err(invalid(format!("entry {index} is compressed; save it uncompressed (numpy.savez)")));
        }
        ends = ends.saturating_add(entry.size());
        if ends > size {
            return Err(invalid(format!("entries up to {index} claim {ends} bytes, the file has {size}")));
        }
    }
    Ok(())
}

fn invalid(what: String) -> Error {
    Error::new(ErrorKind::InvalidData, what)
}

fn parse_npy(name: &str, bytes: &[u8]) -> Option<NamedArray> {
    let rest = bytes.strip_prefix(b"\x93NUMPY\x01\x00")?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    let (header, data) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
    let header = core::str::from_utf8(header).ok()?;
    if !header.contains("'descr': '<f8'") || !header.contains("'fortran_order': False") {
        return None;
    }
    let tuple = header.split_once("'shape': (")?.1.split_once(')')?.0;
    let numbers = tuple.split(',').map(str::trim).filter(|n| !n.is_empty());
    let shape = numbers.map(|n| n.parse().ok()).collect::<Option<Vec<usize>>>()?;
    let count = shape.iter().try_fold(1_usize, |product, &n| product.checked_mul(n))?;
    let data = from_little_endian(data);
    (data.len() == count).then(|| NamedArray { name: name.to_owned(), shape, data })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn archive() -> Vec<u8> {
        let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
        npz.array("time", &[], &[0.25]).unwrap();
        npz.array("rope/q", &[2, 3], &[1.0, 2.0, 3.0, 4.0, -0.0, f64::MIN_POSITIVE]).unwrap();
        npz.array("line", &[2], &[1.0, 2.0]).unwrap();
        npz.text("note.txt", "a + b").unwrap();
        npz.finish().unwrap().into_inner()
    }

    #[test]
    fn arrays_come_back_as_they_were_written() {
        let Npz { arrays, texts } = read_npz(Cursor::new(archive())).unwrap();
        let named = |name: &str, shape: &[usize], data| NamedArray {
            name: name.to_owned(),
            shape: shape.to_vec(),
            data,
        };
        assert_eq!(arrays["time"], named("time", &[], vec![0.25]));
        assert_eq!(arrays["line"], named("line", &[2], vec![1.0, 2.0]));
        assert_eq!(texts["note.txt"], "a + b");
        assert_eq!(arrays["rope/q"].shape, [2, 3]);
        assert_eq!(arrays["rope/q"].data[4].to_bits(), (-0.0_f64).to_bits());
    }

    #[test]
    fn headers_are_those_of_numpy() {
        for (shape, text) in [(vec![], "()"), (vec![7], "(7,)"), (vec![7, 4], "(7, 4)")] {
            let header = npy_header(&shape);
            assert_eq!(header.len() % 64, 0);
            let words = String::from_utf8_lossy(&header[10..]).into_owned();
            assert!(words.contains(&format!("'shape': {text}, }}")), "{words}");
        }
    }

    /// 3000 directory entries that all point to the same 64 kB would be 200 MB of numbers.
    #[test]
    fn entries_that_overlap_are_refused_before_they_are_read() {
        let numbers = vec![0.0; 1 << 13];
        let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
        npz.array("a", &[numbers.len()], &numbers).unwrap();
        let one = npz.finish().unwrap().into_inner();
        let end = one.len() - 22;
        let directory_at = u32::from_le_bytes(one[end + 16..end + 20].try_into().unwrap()) as usize;
        let entry = one[directory_at..end].to_vec();
        let mut many = one[..directory_at].to_vec();
        let name_at = entry.windows(5).position(|w| w == b"a.npy").unwrap();
        for k in 0..3000_u16 {
            let mut copy = entry.clone();
            // Another name of the same length for each.
            copy[name_at] = b'A' + (k % 26) as u8;
            copy[name_at + 1] = b'a' + (k / 26 % 26) as u8;
            copy[name_at + 2] = b'a' + (k / 676) as u8;
            many.extend(copy);
        }
        let directory_bytes = (many.len() - directory_at) as u32;
        let mut tail = one[end..].to_vec();
        tail[8..10].copy_from_slice(&3000_u16.to_le_bytes());
        tail[10..12].copy_from_slice(&3000_u16.to_le_bytes());
        tail[12..16].copy_from_slice(&directory_bytes.to_le_bytes());
        many.extend(tail);
        let error = read_npz(Cursor::new(many)).unwrap_err().to_string();
        assert!(error.contains("claim") && error.contains("the file has"), "{error}");
    }

    #[test]
    fn broken_archives_are_refused() {
        let whole = archive();
        for length in [0, 10, whole.len() / 2, whole.len() - 1] {
            assert!(read_npz(Cursor::new(whole[..length].to_vec())).is_err());
        }
    }
}
