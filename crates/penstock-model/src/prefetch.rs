//! Prefetching of memory.

/// Prefetches the cache line in which `value` starts, without waiting for it. Does not affect results.
///
/// Has no effect on processors other than x86-64.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
