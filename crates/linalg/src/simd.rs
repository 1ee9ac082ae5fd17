//! One instruction per operation: arrays of `f64` through the vector units.
//!
//! Left to itself the compiler joins neighboring operations of a long kernel into vectors along the wrong axis; named
//! instructions leave no choice. This is why this module calls intrinsics, and why it is the one place besides
//! [`crate::cpu_dispatch`] that needs `unsafe`.
//!
//! The flag `UNIT` of each function says that it is compiled for a machine with the unit of its width: eight lanes for
//! AVX-512, four for AVX2 with fused multiply–add. Only [`crate::for_vector_unit`] sets it, behind the test that the
//! machine has the unit. Without it the functions are plain loops.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::*;

/// Defines a lane-wise function by its two intrinsics and its scalar form. (Expressions, not closures: those could be
/// compiled apart, without the unit.)
macro_rules! lane_wise {
    ($(#[$meta:meta])* $name:ident($($arg:ident),+) = $wide:expr, $four:expr, $scalar:expr) => {
        $(#[$meta])*
        #[inline(always)]
        pub(crate) fn $name<const N: usize, const UNIT: bool>($($arg: [f64; N]),+) -> [f64; N] {
            #[cfg(target_arch = "x86_64")]
            {
                if UNIT && N == 8 {
                    // SAFETY: the machine has AVX-512 (see the module); the arrays hold eight numbers.
                    return unsafe {
                        $(let $arg = _mm512_loadu_pd($arg.as_ptr());)+
                        let mut out = [0.0; N];
                        _mm512_storeu_pd(out.as_mut_ptr(), $wide);
                        out
                    };
                }
                if UNIT && N == 4 {
                    // SAFETY: the machine has AVX2 and fused multiply–add; the arrays hold four numbers.
                    return unsafe {
                        $(let $arg = _mm256_loadu_pd($arg.as_ptr());)+
                        let mut out = [0.0; N];
                        _mm256_storeu_pd(out.as_mut_ptr(), $four);
                        out
                    };
                }
            }
            let mut out = [0.0; N];
            for i in 0..N {
                $(let $arg = $arg[i];)+
                out[i] = $scalar;
            }
            out
        }
    };
}

lane_wise!(add(a, b) = _mm512_add_pd(a, b), _mm256_add_pd(a, b), a + b);
lane_wise!(sub(a, b) = _mm512_sub_pd(a, b), _mm256_sub_pd(a, b), a - b);
lane_wise!(mul(a, b) = _mm512_mul_pd(a, b), _mm256_mul_pd(a, b), a * b);
lane_wise!(div(a, b) = _mm512_div_pd(a, b), _mm256_div_pd(a, b), a / b);
lane_wise!(
    /// a·b + c, fused where there is a unit.
    mul_add(a, b, c) = _mm512_fmadd_pd(a, b, c),
    _mm256_fmadd_pd(a, b, c),
    a * b + c
);
lane_wise!(sqrt(a) = _mm512_sqrt_pd(a), _mm256_sqrt_pd(a), f64::sqrt(a));
lane_wise!(
    round(a) = _mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a),
    _mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a),
    f64::round_ties_even(a)
);
lane_wise!(neg(a) = _mm512_xor_pd(a, _mm512_set1_pd(-0.0)), _mm256_xor_pd(a, _mm256_set1_pd(-0.0)), -a);
lane_wise!(
    abs(a) = _mm512_andnot_pd(_mm512_set1_pd(-0.0), a),
    _mm256_andnot_pd(_mm256_set1_pd(-0.0), a),
    f64::abs(a)
);
lane_wise!(
    /// a with the sign of b; a is not negative.
    with_sign(a, b) = _mm512_or_pd(a, _mm512_and_pd(_mm512_set1_pd(-0.0), b)),
    _mm256_or_pd(a, _mm256_and_pd(_mm256_set1_pd(-0.0), b)),
    f64::copysign(a, b)
);
lane_wise!(
    /// a where x < y, else b.
    select_less(x, y, a, b) = _mm512_mask_blend_pd(_mm512_cmp_pd_mask::<_CMP_LT_OQ>(x, y), b, a),
    _mm256_blendv_pd(b, a, _mm256_cmp_pd::<_CMP_LT_OQ>(x, y)),
    if x < y { a } else { b }
);

/// The last lane of `before` and all but the last of `now`: the lanes moved up by one.
#[inline(always)]
pub(crate) fn shift_one<const N: usize, const UNIT: bool>(before: [f64; N], now: [f64; N]) -> [f64; N] {
    #[cfg(target_arch = "x86_64")]
    {
        if UNIT && N == 8 {
            // SAFETY: the machine has AVX-512; the arrays hold eight numbers.
            return unsafe {
                let (b, n) = (_mm512_loadu_pd(before.as_ptr()), _mm512_loadu_pd(now.as_ptr()));
                let moved = _mm512_alignr_epi64::<7>(_mm512_castpd_si512(n), _mm512_castpd_si512(b));
                let mut out = [0.0; N];
                _mm512_storeu_pd(out.as_mut_ptr(), _mm512_castsi512_pd(moved));
                out
            };
        }
        if UNIT && N == 4 {
            // SAFETY: the machine has AVX2; the arrays hold four numbers.
            return unsafe {
                let (b, n) = (_mm256_loadu_pd(before.as_ptr()), _mm256_loadu_pd(now.as_ptr()));
                let mut out = [0.0; N];
                let middle = _mm256_permute2f128_pd::<0x21>(b, n);
                _mm256_storeu_pd(out.as_mut_ptr(), _mm256_shuffle_pd::<0b0101>(middle, n));
                out
            };
        }
    }
    let mut out = now;
    out.rotate_right(1);
    out[0] = before[N - 1];
    out
}

/// Four arrays of lanes to one column of four per lane: `out[lane] = [a[lane], b[lane], c[lane], d[lane]]`.
#[inline(always)]
pub(crate) fn columns<const N: usize, const UNIT: bool>(
    rows: &[[f64; N]; 4],
    mut out: impl FnMut(usize, [f64; 4]),
) {
    #[cfg(target_arch = "x86_64")]
    {
        if UNIT && N == 8 {
            // SAFETY: the machine has AVX-512; the arrays hold eight numbers.
            unsafe {
                let [r0, r1, r2, r3] =
                    [&rows[0], &rows[1], &rows[2], &rows[3]].map(|r| _mm512_loadu_pd(r.as_ptr()));
                let (even01, odd01) = (_mm512_unpacklo_pd(r0, r1), _mm512_unpackhi_pd(r0, r1));
                let (even23, odd23) = (_mm512_unpacklo_pd(r2, r3), _mm512_unpackhi_pd(r2, r3));
                let low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0);
                let high = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4);
                for (first, a, b) in [(0, even01, even23), (1, odd01, odd23)] {
                    for (offset, index) in [(0, low), (4, high)] {
                        let pair = _mm512_permutex2var_pd(a, index, b);
                        let mut column = [0.0; 4];
                        _mm256_storeu_pd(column.as_mut_ptr(), _mm512_castpd512_pd256(pair));
                        out(first + offset, column);
                        _mm256_storeu_pd(column.as_mut_ptr(), _mm512_extractf64x4_pd::<1>(pair));
                        out(first + offset + 2, column);
                    }
                }
            }
            return;
        }
        if UNIT && N == 4 {
            // SAFETY: the machine has AVX2; the arrays hold four numbers.
            unsafe {
                let [r0, r1, r2, r3] =
                    [&rows[0], &rows[1], &rows[2], &rows[3]].map(|r| _mm256_loadu_pd(r.as_ptr()));
                let (even01, odd01) = (_mm256_unpacklo_pd(r0, r1), _mm256_unpackhi_pd(r0, r1));
                let (even23, odd23) = (_mm256_unpacklo_pd(r2, r3), _mm256_unpackhi_pd(r2, r3));
                for (first, a, b) in [(0, even01, even23), (1, odd01, odd23)] {
                    let mut column = [0.0; 4];
                    _mm256_storeu_pd(column.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(a, b));
                    out(first, column);
                    _mm256_storeu_pd(column.as_mut_ptr(), _mm256_permute2f128_pd::<0x31>(a, b));
                    out(first + 2, column);
                }
            }
            return;
        }
    }
    for lane in 0..N {
        out(lane, [rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]]);
    }
}

/// Zero in the lanes from `count` on.
#[inline(always)]
pub(crate) fn keep_first<const N: usize, const UNIT: bool>(a: [f64; N], count: usize) -> [f64; N] {
    let mut limit = [0.0; N];
    for (i, l) in limit.iter_mut().enumerate() {
        *l = i as f64;
    }
    select_less::<N, UNIT>(limit, [count as f64; N], a, [0.0; N])
}
