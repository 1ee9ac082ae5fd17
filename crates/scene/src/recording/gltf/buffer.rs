//! The binary part of a glTF file, and the container of both parts.

use serde_json::{Value, json};

const FLOAT: u32 = 5126;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;

/// Targets of buffer views.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// Vertices.
    Vertices = 34962,
    /// Corners of triangles.
    Indices = 34963,
}

/// Bytes, views and accessors.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Buffer {
    fn add(&mut self, bytes: &[u8], target: Option<Target>, accessor: Value) -> usize {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target as u32);
        }
        self.bytes.extend_from_slice(bytes);
        self.views.push(view);
        let mut accessor = accessor;
        accessor["bufferView"] = json!(self.views.len() - 1);
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Single numbers with their bounds, as times of an animation must have them.
    pub(super) fn scalars(&mut self, numbers: &[f32]) -> usize {
        let low = numbers.iter().copied().fold(f32::INFINITY, f32::min);
        let high = numbers.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let accessor = json!({
            "componentType": FLOAT, "count": numbers.len(), "type": "SCALAR", "min": [low], "max": [high],
        });
        self.add(&bytes(numbers), None, accessor)
    }

    /// Vectors, with their bounds if asked for, as positions must have them.
    pub(super) fn vectors(
        &mut self,
        vectors: impl AsRef<[[f32; 3]]>,
        bounds: bool,
        target: Option<Target>,
    ) -> usize {
        let vectors = vectors.as_ref();
        let mut accessor = json!({ "componentType": FLOAT, "count": vectors.len(), "type": "VEC3" });
        if bounds {
            let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
            for v in vectors {
                for k in 0..3 {
                    (low[k], high[k]) = (low[k].min(v[k]), high[k].max(v[k]));
                }
            }
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.add(&bytes(vectors.as_flattened()), target, accessor)
    }

    /// Quaternions x, y, z, w.
    pub(super) fn quaternions(&mut self, quaternions: &[[f32; 4]]) -> usize {
        let accessor = json!({ "componentType": FLOAT, "count": quaternions.len(), "type": "VEC4" });
        self.add(&bytes(quaternions.as_flattened()), None, accessor)
    }

    /// Matrices by columns.
    pub(super) fn matrices(&mut self, matrices: &[[f32; 16]]) -> usize {
        let accessor = json!({ "componentType": FLOAT, "count": matrices.len(), "type": "MAT4" });
        self.add(&bytes(matrices.as_flattened()), None, accessor)
    }

    /// The one joint that moves each vertex: accessors of joints and of weights.
    pub(super) fn joints(&mut self, joints: &[u16]) -> (usize, usize) {
        let numbers: Vec<u8> = joints.iter().flat_map(|&j| [j, 0, 0, 0]).flat_map(u16::to_le_bytes).collect();
        let accessor = json!({ "componentType": UNSIGNED_SHORT, "count": joints.len(), "type": "VEC4" });
        let first = self.add(&numbers, Some(Target::Vertices), accessor);
        let weights: Vec<f32> = joints.iter().flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
        let accessor = json!({ "componentType": FLOAT, "count": joints.len(), "type": "VEC4" });
        (first, self.add(&bytes(&weights), Some(Target::Vertices), accessor))
    }

    /// Corners of triangles.
    pub(super) fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let numbers: Vec<u8> = triangles.as_flattened().iter().flat_map(|i| i.to_le_bytes()).collect();
        let accessor =
            json!({ "componentType": UNSIGNED_INT, "count": 3 * triangles.len(), "type": "SCALAR" });
        self.add(&numbers, Some(Target::Indices), accessor)
    }
}

fn bytes(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The binary container: a header of 12 bytes, then the JSON and the numbers, each with its length and kind and padded
/// to 4 bytes.
pub(super) fn container(json: &str, numbers: &[u8]) -> Vec<u8> {
    let mut text = json.as_bytes().to_vec();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut numbers = numbers.to_vec();
    numbers.resize(numbers.len().next_multiple_of(4), 0);
    let length = 12 + 8 + text.len() + 8 + numbers.len();
    let mut out = Vec::with_capacity(length);
    out.extend(b"glTF");
    for word in [2, length as u32, text.len() as u32] {
        out.extend(word.to_le_bytes());
    }
    out.extend(b"JSON");
    out.extend(text);
    out.extend((numbers.len() as u32).to_le_bytes());
    out.extend(b"BIN\0");
    out.extend(numbers);
    out
}
