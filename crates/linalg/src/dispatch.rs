//! Which vector unit this machine has. Found once; kernels choose their width by it.

use std::sync::OnceLock;

/// The widths for which kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorUnit {
    /// Eight `f64` a register, fused multiply–add.
    Avx512,
    /// Four `f64` a register, fused multiply–add.
    Avx2,
    /// What every machine of this architecture has.
    Baseline,
}

/// The widest unit that this machine has and for which kernels exist.
pub fn vector_unit() -> VectorUnit {
    static UNIT: OnceLock<VectorUnit> = OnceLock::new();
    *UNIT.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> VectorUnit {
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
    {
        VectorUnit::Avx512
    } else if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        VectorUnit::Avx2
    } else {
        VectorUnit::Baseline
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> VectorUnit {
    VectorUnit::Baseline
}
