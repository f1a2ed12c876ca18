//! System calls of Linux that the standard library lacks.

use std::ffi::CString;
use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, RawFd};
use std::path::Path;
use std::time::Duration;

/// The real-time clock in nanoseconds: the clock of the kernel's stamps of packets.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a value that lives during the call.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Ends this thread's waits as soon as the kernel can, and runs it before ordinary threads: otherwise a wait may last 50 us longer
/// to save energy, and other programs delay packets. It sets the lowest real-time priority [sched(7)], since priorities of ordinary
/// threads count only within a session. The kernel still leaves 5 % of the time to others. Without the right to set it, the thread
/// keeps its priority.
pub fn wake_promptly() {
    let lowest = libc::sched_param { sched_priority: 1 };
    // SAFETY: the pointer is to a value that lives during the call. 0 is the calling thread.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0);
        libc::sched_setscheduler(0, libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK, &raw const lowest);
    }
}

/// Waits until one of these files can be read, at most for `time`.
///
/// # Errors
/// The errors of the system call, except an interruption.
pub fn wait(files: &[RawFd], time: Duration) -> Result<()> {
    let mut polled: Vec<libc::pollfd> = files.iter().map(|fd| libc::pollfd { fd: *fd, events: libc::POLLIN, revents: 0 }).collect();
    let time = libc::timespec { tv_sec: time.as_secs() as libc::time_t, tv_nsec: libc::c_long::from(time.subsec_nanos()) };
    // SAFETY: both pointers are to values that live during the call, and the length is that of the list.
    let ready = unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, &raw const time, std::ptr::null()) };
    let error = Error::last_os_error();
    if ready < 0 && error.raw_os_error() != Some(libc::EINTR) {
        return Err(error);
    }
    Ok(())
}

/// Runs `work` in the network namespace of the file `path`, on a thread of its own that ends with it.
///
/// # Errors
/// If the namespace cannot be entered; also the errors of `work`.
pub fn in_namespace<T: Send + 'static>(path: &Path, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let file = File::open(path)?;
    let thread = std::thread::Builder::new().name("penstock-netns".to_owned()).spawn(move || {
        // SAFETY: the file is open, and only this thread changes its namespace.
        if unsafe { libc::setns(file.as_raw_fd(), libc::CLONE_NEWNET) } < 0 {
            return Err(Error::last_os_error());
        }
        work()
    })?;
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// The index of an interface.
///
/// # Errors
/// If no interface has this name.
pub fn interface(name: &str) -> Result<libc::c_uint> {
    let name = CString::new(name)?;
    // SAFETY: the name ends with a zero and lives during the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(Error::last_os_error()),
        number => Ok(number),
    }
}

/// Offloads, by the command that sets each [linux/ethtool.h]. With them a stack hands over packets that are larger than the MTU, or
/// that have no checksum yet.
pub const OFFLOADS: [(&str, u32); 6] =
    [("rx-checksumming", 0x15), ("tx-checksumming", 0x17), ("scatter-gather", 0x19), ("tso", 0x1F), ("gso", 0x24), ("gro", 0x2C)];

/// Switches the [`OFFLOADS`] of an interface of this namespace off; returns the names of those that it does not have.
///
/// # Errors
/// If the interface does not exist, or this process may not do so.
pub fn switch_offloads_off(name: &str) -> Result<Vec<&'static str>> {
    #[repr(C)]
    struct Value {
        command: u32,
        data: u32,
    }
    interface(name)?;
    // SAFETY: the call has no pointers.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(Error::last_os_error());
    }
    let mut absent = Vec::new();
    let mut failure = None;
    for (offload, command) in OFFLOADS {
        let mut value = Value { command, data: 0 };
        // SAFETY: an all-zero request is valid.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name.iter_mut().zip(name.bytes().take(libc::IFNAMSIZ - 1)) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_data = (&raw mut value).cast();
        // SAFETY: the request and the value that it points to live during the call.
        if unsafe { libc::ioctl(socket, libc::SIOCETHTOOL as _, &raw mut request) } < 0 {
            match Error::last_os_error() {
                error if error.raw_os_error() == Some(libc::EOPNOTSUPP) => absent.push(offload),
                error => failure = Some(error),
            }
        }
    }
    // SAFETY: the descriptor is ours and not used again.
    unsafe { libc::close(socket) };
    failure.map_or(Ok(absent), Err)
}
