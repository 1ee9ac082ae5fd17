//! Stretching of an edge.
//!
//! E_s = ½ EA (l/l̄ − 1)² l̄
//!
//! | symbol | name | unit |
//! |---|---|---|
//! | l, l̄ | `length`, `rest_length` | m |
//! | t | `tangent` | 1 |
//! | EA | `stiffness` | N |
//! | N = EA (l/l̄ − 1) | tension | N |

use ropewalk_linalg::{Real, V3};

/// E_s in J.
#[inline(always)]
pub fn value<R: Real>(length: R, rest_length: R, stiffness: R) -> R {
    let strain = length / rest_length - R::splat(1.0);
    R::splat(0.5) * stiffness * strain * strain * rest_length
}

/// N in newtons. The gradient of E_s with respect to the edge is N t.
#[inline(always)]
pub fn tension<R: Real>(length: R, rest_length: R, stiffness: R) -> R {
    stiffness * (length / rest_length - R::splat(1.0))
}

/// Hessian of E_s with respect to the edge: EA/l̄ t tᵀ + N/l (I − t tᵀ), the lower triangle as
/// (xx, yx, zx, yy, zy, zz). N/m.
#[inline(always)]
pub fn hessian<R: Real>(tangent: V3<R>, along: R, across: R) -> [R; 6] {
    let t = tangent;
    let d = along - across;
    let (dx, dy) = (t.x * d, t.y * d);
    [
        dx.mul_add(t.x, across),
        dx * t.y,
        dx * t.z,
        dy.mul_add(t.y, across),
        dy * t.z,
        (t.z * d).mul_add(t.z, across),
    ]
}
