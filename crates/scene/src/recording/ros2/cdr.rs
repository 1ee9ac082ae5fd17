//! Common Data Representation, the encoding of ROS 2 messages: little-endian, each number at a multiple of its size, counted
//! from the end of the header. Source: OMG, DDS Interoperability Wire Protocol (DDSI-RTPS) 2.5, § 10; XCDR version 1.

/// Bytes before the message: little-endian CDR, no options.
const HEADER: [u8; 4] = [0, 1, 0, 0];

/// A message under construction.
#[derive(Clone, Debug)]
pub(super) struct Cdr(Vec<u8>);

impl Cdr {
    pub(super) fn new() -> Self {
        Self(HEADER.to_vec())
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }

    fn number<const N: usize>(&mut self, bytes: [u8; N]) -> &mut Self {
        let at = self.0.len() - HEADER.len();
        self.0.resize(HEADER.len() + at.next_multiple_of(N), 0);
        self.0.extend(bytes);
        self
    }

    pub(super) fn flag(&mut self, value: bool) -> &mut Self {
        self.number([u8::from(value)])
    }

    pub(super) fn i32(&mut self, value: i32) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    pub(super) fn u32(&mut self, value: u32) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    pub(super) fn f32(&mut self, value: f32) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    pub(super) fn f64(&mut self, value: f64) -> &mut Self {
        self.number(value.to_le_bytes())
    }

    /// Numbers one after the other, without their count.
    pub(super) fn f64s(&mut self, values: impl IntoIterator<Item = f64>) -> &mut Self {
        for value in values {
            self.f64(value);
        }
        self
    }

    /// The number of items that follow.
    pub(super) fn count(&mut self, items: usize) -> &mut Self {
        self.u32(u32::try_from(items).unwrap_or(u32::MAX))
    }

    /// A string: its length with the zero at its end, its bytes, the zero.
    pub(super) fn string(&mut self, text: &str) -> &mut Self {
        self.count(text.len() + 1);
        self.0.extend(text.as_bytes());
        self.0.push(0);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_at_multiples_of_their_size() {
        let mut cdr = Cdr::new();
        cdr.flag(true).u32(7).string("ab").f64(1.0).f32(0.5);
        // After the header: the flag at 0, the number at 4, the string at 8 (its length, then three bytes), the double at 16.
        let mut expected = vec![0, 1, 0, 0];
        expected.extend([1, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, b'a', b'b', 0, 0]);
        expected.extend(1.0_f64.to_le_bytes());
        expected.extend(0.5_f32.to_le_bytes());
        assert_eq!(cdr.finish(), expected);
    }
}
