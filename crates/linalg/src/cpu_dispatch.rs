//! The vector unit of this machine, detected once; kernels choose their width by it.

use std::sync::OnceLock;

/// The widths for which kernels are compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorUnit {
    /// Eight `f64` a register, fused multiply–add.
    Avx512,
    /// Four `f64` a register, fused multiply–add.
    Avx2,
    /// The baseline of this architecture.
    Baseline,
}

/// The widest vector unit of this machine for which kernels exist.
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

/// Defines a function that runs a kernel compiled for the widest vector unit of the machine.
///
/// `kernel` must be `#[inline(always)]` and take two constants: the number of lanes and whether
/// multiply–add is fused (see [`crate::lanes::Lanes`]). Between units the
/// last bits may differ.
///
/// This is the one place that calls across vector units, which the language cannot check: each call
/// stands behind the test that the machine has the unit.
#[macro_export]
macro_rules! for_vector_unit {
    ($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $kernel:ident;) => {
        $(#[$meta])*
        #[allow(unsafe_code)]
        $vis fn $name($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
                fn wide($($arg: $ty),*) $(-> $ret)? {
                    $kernel::<8, true>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn four($($arg: $ty),*) $(-> $ret)? {
                    $kernel::<4, true>($($arg),*)
                }
                match $crate::cpu_dispatch::vector_unit() {
                    // SAFETY: `vector_unit` says that the machine has these instructions.
                    $crate::cpu_dispatch::VectorUnit::Avx512 => return unsafe { wide($($arg),*) },
                    // SAFETY: as above.
                    $crate::cpu_dispatch::VectorUnit::Avx2 => return unsafe { four($($arg),*) },
                    $crate::cpu_dispatch::VectorUnit::Baseline => {}
                }
            }
            $kernel::<4, false>($($arg),*)
        }
    };
}
