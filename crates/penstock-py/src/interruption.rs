//! Work that takes long, during which the interpreter is free and signals are looked at.

use penstock_engine::Cancel;
use pyo3::prelude::*;
use std::hint::black_box;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How soon a signal is noticed.
const TICK: Duration = Duration::from_millis(20);
/// What a main thread has: as much as the reader of nested tables is used to.
const STACK: usize = 8 << 20;
/// What small work takes.
const HEAP: usize = 2 << 20;

/// Does `work` with the interpreter free for other threads. Where signals are handled, which is the main thread only, it does so on
/// a thread of its own and looks at signals meanwhile; if one raises an exception, `cancel` is set and that exception returned at
/// once. The work is not waited for then: some of it, such as the parser of TOML, cannot be told to stop.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, cancel: &Cancel, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    if !is_main_thread(py)? {
        return Ok(py.detach(work));
    }
    let (sender, mut receiver) = mpsc::channel();
    let worker = std::thread::Builder::new().name("penstock-work".to_owned()).stack_size(STACK).spawn(move || {
        reserve_heap();
        // If nobody waits any more, nobody wants it.
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
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => unreachable!("it sends what it made before it ends"),
            },
        }
    }
}

/// Lets the heap of a thread grow at once: that of the GNU C library does so a page at a time, each with a call of the system, and gives
/// back what is free. A larger block that was freed moves its bounds for both. Nothing is touched, so it takes no memory.
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
