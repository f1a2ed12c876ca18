//! Work that takes long, during which the interpreter is free and signals are looked at.

use penstock_engine::Cancel;
use pyo3::prelude::*;
use std::any::Any;
use std::hint::black_box;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Maximum time until a signal is noticed.
const TICK: Duration = Duration::from_millis(20);
/// The stack size of a main thread, which the reader of nested tables expects.
const STACK: usize = 8 << 20;
/// Heap that small work needs.
const HEAP: usize = 2 << 20;

/// Ends as the thread that panicked: with an exception if a component of the user's own failed, otherwise with the panic.
fn ended<T>(py: Python<'_>, panic: Box<dyn Any + Send>) -> PyResult<T> {
    match panic.downcast::<penstock_foreign::Fault>() {
        Ok(fault) => Err(crate::foreign::fault_error(py, *fault)),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Runs `work` on this thread, with the interpreter free for other threads.
pub fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).or_else(|panic| ended(py, panic))
}

/// Runs `work` with the interpreter free for other threads. On the main thread, the only one that handles signals, `work` runs on a
/// worker thread while this one checks for signals. If a signal raises an exception, sets `cancel` and returns the exception at once,
/// without waiting for `work`: some of it, such as the TOML parser, cannot be cancelled.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, cancel: &Cancel, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    if !is_main_thread(py)? {
        return detached(py, work);
    }
    let (sender, mut receiver) = mpsc::channel();
    let worker = std::thread::Builder::new().name("penstock-work".to_owned()).stack_size(STACK).spawn(move || {
        reserve_heap();
        // If the receiver is gone, nobody needs the result.
        drop(sender.send(work()));
    })?;
    loop {
        let received;
        (receiver, received) = py.detach(move || {
            let received = receiver.recv_timeout(TICK);
            (receiver, received)
        });
        match received {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => py.check_signals().inspect_err(|_| cancel.set())?,
            Err(RecvTimeoutError::Disconnected) => match worker.join() {
                Err(panic) => return ended(py, panic),
                Ok(()) => unreachable!("it sends what it made before it ends"),
            },
        }
    }
}

/// Grows the heap of a thread in one step. The GNU C library would grow it page by page, with a system call each, and return free
/// pages. Freeing one larger block raises both thresholds. The block is never touched, so it uses no memory.
fn reserve_heap() {
    for size in [2 * HEAP, HEAP] {
        drop(black_box(Vec::<u8>::with_capacity(size)));
    }
}

/// Whether this is the interpreter's main thread, the only one that handles signals.
fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let current = threading.call_method0("current_thread")?;
    Ok(current.is(&threading.call_method0("main_thread")?))
}
