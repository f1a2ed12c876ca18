//! Asking for memory before it is needed.

/// Asks the processor to bring the cache line nearer that `value` begins in, without waiting for it. Results do not depend on it.
///
/// On processors other than x86-64 nothing is asked for.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    safe_arch::prefetch_t0(value);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
