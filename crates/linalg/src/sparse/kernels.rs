//! The hot loops, compiled once for each vector unit and chosen at run time.
//!
//! A function compiled for AVX2 or AVX-512 may be called only on a machine that has it, which the
//! compiler cannot see: hence the `unsafe` calls, each guarded by [`vector_unit`]. The bodies are
//! plain safe loops, inlined into each version.

#![allow(unsafe_code)]

use super::numeric::{Parts, factor_columns, lower_columns, schur_product, upper_columns};
use crate::dispatch::{VectorUnit, vector_unit};
use core::ops::Range;

macro_rules! for_each_unit {
    ($name:ident, $body:ident, ($($argument:ident : $kind:ty),*), $result:ty) => {
        /// Runs the loop of the same name in the version for this machine.
        pub(super) fn $name($($argument: $kind),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
                fn avx512($($argument: $kind),*) -> $result {
                    $body::<true>($($argument),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($argument: $kind),*) -> $result {
                    $body::<true>($($argument),*)
                }
                match vector_unit() {
                    // SAFETY: the machine has the unit, as found at run time.
                    VectorUnit::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: as above.
                    VectorUnit::Avx2 => return unsafe { avx2($($argument),*) },
                    VectorUnit::Baseline => {}
                }
            }
            $body::<false>($($argument),*)
        }
    };
}

for_each_unit!(factor, factor_columns, (parts: Parts<'_>, columns: Range<usize>, stage: super::numeric::Stage), Result<(), (usize, usize)>);
for_each_unit!(lower, lower_columns, (parts: Parts<'_>, columns: Range<usize>, x: &mut [[f64; 4]]), ());
for_each_unit!(upper, upper_columns, (parts: Parts<'_>, columns: Range<usize>, x: &mut [[f64; 4]]), ());
for_each_unit!(schur, schur_product, (parts: Parts<'_>, x: &[[f64; 4]], y: &mut [[f64; 4]]), ());
