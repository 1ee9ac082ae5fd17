//! Integers of seven bits a byte.

/// Appends a number, least bits first.
pub(super) fn push_unsigned(out: &mut Vec<u8>, mut value: u64) {
    while value >= 128 {
        out.push((value as u8 & 127) | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a number with a sign: 0, −1, 1, −2, … as 0, 1, 2, 3, …
pub(super) fn push_signed(out: &mut Vec<u8>, value: i64) {
    push_unsigned(out, ((value << 1) ^ (value >> 63)) as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        let signed = |value| {
            let mut out = Vec::new();
            push_signed(&mut out, value);
            out
        };
        assert_eq!(signed(0), [0]);
        assert_eq!(signed(-1), [1]);
        assert_eq!(signed(1), [2]);
        assert_eq!(signed(63), [126]);
        assert_eq!(signed(-64), [127]);
        assert_eq!(signed(64), [128, 1]);
        assert_eq!(signed(-8192), [255, 127]);
    }
}
