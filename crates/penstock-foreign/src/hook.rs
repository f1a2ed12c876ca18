//! The functions of hooks, and texts that live as long as they do.

/// A compiled hook. It gets the component's own words, two views, and two numbers: the time and another one. It answers with a number,
/// or with [`FAULT`].
pub(crate) type Hook = unsafe extern "C" fn(*mut u64, *mut u64, *mut u64, i64, i64) -> i64;

/// The answer of a hook that failed.
pub(crate) const FAULT: i64 = i64::MIN;

/// The function at an address.
pub(crate) fn hook(address: usize) -> Hook {
    // SAFETY: `crate::Components` demands addresses of functions of this type.
    unsafe { std::mem::transmute::<*const (), Hook>(std::ptr::with_exposed_provenance(address)) }
}

/// A text that lives as long as the process.
pub(crate) fn leak(text: &str) -> &'static str {
    text.to_owned().leak()
}
