//! A packet socket with rings that are shared with the kernel [packet(7); Documentation/networking/packet_mmap.rst].

use crate::system::interface;
use std::io::{Error, Result};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

/// Bytes of a slot: the kernel's header, and a frame of up to 1900 bytes.
const SLOT: usize = 2048;
/// Slots of the receive ring: 40 ms of packets at the highest rate that is accepted, since other threads may have the core for part of a
/// second [sched(7)].
const RECEIVE_SLOTS: usize = 16384;
/// Slots of the transmit ring, which the kernel empties at each flush.
const SEND_SLOTS: usize = 8192;
/// Bytes of both rings.
const MEMORY: usize = (RECEIVE_SLOTS + SEND_SLOTS) * SLOT;
/// Bytes of a contiguous part of the ring.
const BLOCK: usize = 64 * SLOT;
/// Offset of a frame to be sent in its slot: behind the header, `TPACKET2_HDRLEN - sizeof(struct sockaddr_ll)`.
const SEND_AT: usize = 32;
/// Maximum length of a frame in a slot.
pub const LONGEST: usize = SLOT - 128;

/// Both rings of a socket, bound to one interface.
pub struct Ring {
    socket: OwnedFd,
    /// The receive ring, followed by the transmit ring.
    memory: *mut u8,
    next_in: usize,
    next_out: usize,
    /// Whether the transmit ring has frames that the kernel has not been told of.
    is_pending: bool,
}

// SAFETY: the memory belongs to this value alone, and the kernel does not care which thread uses it.
unsafe impl Send for Ring {}

/// A frame, and the time at which the kernel got it in nanoseconds of the real-time clock.
pub struct Received<'a> {
    pub frame: &'a [u8],
    pub stamp: u64,
}

impl Ring {
    /// Opens a socket on an interface of this thread's namespace.
    ///
    /// # Errors
    /// If this process may not do so, or the interface does not exist.
    pub fn open(name: &str) -> Result<Ring> {
        let index = interface(name)?;
        // Protocol 0: nothing is received before the socket is bound, so that no packet of another interface is.
        // SAFETY: the call has no pointers.
        let socket = unsafe { libc::socket(libc::AF_PACKET, libc::SOCK_RAW | libc::SOCK_CLOEXEC, 0) };
        if socket < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the descriptor is open, and belongs to nobody else.
        let socket = unsafe { OwnedFd::from_raw_fd(socket) };
        set(&socket, libc::PACKET_VERSION, &libc::tpacket_versions::TPACKET_V2)?;
        set(&socket, libc::PACKET_IGNORE_OUTGOING, &1)?;
        set(&socket, libc::PACKET_QDISC_BYPASS, &1)?;
        // A malformed frame is skipped instead of stopping the ring.
        set(&socket, libc::PACKET_LOSS, &1)?;
        for (ring, slots) in [(libc::PACKET_RX_RING, RECEIVE_SLOTS), (libc::PACKET_TX_RING, SEND_SLOTS)] {
            let request = libc::tpacket_req {
                tp_block_size: BLOCK as u32,
                tp_block_nr: (slots * SLOT / BLOCK) as u32,
                tp_frame_size: SLOT as u32,
                tp_frame_nr: slots as u32,
            };
            set(&socket, ring, &request)?;
        }
        let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_POPULATE);
        // SAFETY: a new mapping of the socket's rings, whose size is that of both.
        let memory = unsafe { libc::mmap(std::ptr::null_mut(), MEMORY, access, flags, socket.as_raw_fd(), 0) };
        if memory == libc::MAP_FAILED {
            return Err(Error::last_os_error());
        }
        let ring = Ring { socket, memory: memory.cast(), next_in: 0, next_out: 0, is_pending: false };
        // SAFETY: an all-zero address is valid.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index as libc::c_int;
        let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
        // SAFETY: the address lives during the call, and the length is its own.
        if unsafe { libc::bind(ring.socket.as_raw_fd(), (&raw const address).cast(), length) } < 0 {
            return Err(Error::last_os_error());
        }
        Ok(ring)
    }

    /// The socket, to wait for packets.
    pub fn file(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// The slot `index` of the receive ring, or, from [`RECEIVE_SLOTS`] on, of the transmit ring.
    fn slot(&self, index: usize) -> *mut u8 {
        debug_assert!(index < RECEIVE_SLOTS + SEND_SLOTS);
        // SAFETY: the slot is within the mapping.
        unsafe { self.memory.add(index * SLOT) }
    }

    /// Who may use a slot: the first word of its header.
    fn status(&self, index: usize) -> &AtomicU32 {
        // SAFETY: slots are aligned, live as long as the ring, and both sides access this word atomically.
        unsafe { AtomicU32::from_ptr(self.slot(index).cast()) }
    }

    /// Hands the next received frame to `take`; returns `None` if there is none.
    pub fn receive<T>(&mut self, take: impl FnOnce(Received<'_>) -> T) -> Option<T> {
        let status = self.status(self.next_in);
        if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
            return None;
        }
        let slot = self.slot(self.next_in);
        // SAFETY: the kernel has written the header, and leaves the slot alone until its status is reset below.
        let header = unsafe { &*slot.cast::<libc::tpacket2_hdr>() };
        let (offset, length) = (usize::from(header.tp_mac), header.tp_snaplen as usize);
        let stamp = u64::from(header.tp_sec) * 1_000_000_000 + u64::from(header.tp_nsec);
        let fits = offset + length <= SLOT && length == header.tp_len as usize;
        // SAFETY: the bytes are within the slot; a frame that was cut off counts as empty.
        let frame = unsafe { std::slice::from_raw_parts(slot.add(offset.min(SLOT)), if fits { length } else { 0 }) };
        let taken = take(Received { frame, stamp });
        self.status(self.next_in).store(libc::TP_STATUS_KERNEL, Ordering::Release);
        self.next_in = (self.next_in + 1) % RECEIVE_SLOTS;
        Some(taken)
    }

    /// Puts a frame into the transmit ring; returns whether there was room. [`Ring::flush`] sends it.
    pub fn send(&mut self, frame: &[u8]) -> bool {
        let index = RECEIVE_SLOTS + self.next_out;
        if frame.len() > LONGEST {
            return false;
        }
        if self.status(index).load(Ordering::Acquire) != libc::TP_STATUS_AVAILABLE {
            self.flush();
            if self.status(index).load(Ordering::Acquire) != libc::TP_STATUS_AVAILABLE {
                return false;
            }
        }
        let slot = self.slot(index);
        // SAFETY: the slot is ours while its status says so; header and frame are within it.
        unsafe {
            let header = slot.cast::<libc::tpacket2_hdr>();
            (&raw mut (*header).tp_len).write(frame.len() as u32);
            (&raw mut (*header).tp_snaplen).write(frame.len() as u32);
            std::ptr::copy_nonoverlapping(frame.as_ptr(), slot.add(SEND_AT), frame.len());
        }
        self.status(index).store(libc::TP_STATUS_SEND_REQUEST, Ordering::Release);
        self.next_out = (self.next_out + 1) % SEND_SLOTS;
        self.is_pending = true;
        true
    }

    /// Tells the kernel to send the contents of the transmit ring.
    pub fn flush(&mut self) {
        if std::mem::take(&mut self.is_pending) {
            // SAFETY: only the descriptor is passed. Frames that cannot be sent at once stay in the ring.
            unsafe { libc::send(self.socket.as_raw_fd(), std::ptr::null(), 0, libc::MSG_DONTWAIT) };
        }
    }

    /// Frames since the last call for which the receive ring had no room.
    pub fn lost(&self) -> u64 {
        // struct tpacket_stats [linux/if_packet.h]: frames in all, and those dropped.
        let mut counts = [0u32; 2];
        let mut length = size_of_val(&counts) as libc::socklen_t;
        let (level, name) = (libc::SOL_PACKET, libc::PACKET_STATISTICS);
        // SAFETY: both pointers are to values that live during the call, and the length is that of the counts.
        let result = unsafe { libc::getsockopt(self.socket.as_raw_fd(), level, name, counts.as_mut_ptr().cast(), &raw mut length) };
        u64::from(if result == 0 { counts[1] } else { 0 })
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no reference to it outlives the ring.
        unsafe { libc::munmap(self.memory.cast(), MEMORY) };
    }
}

fn set<T>(socket: &OwnedFd, option: libc::c_int, value: &T) -> Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value lives during the call, and the length is its own.
    let result = unsafe { libc::setsockopt(socket.as_raw_fd(), libc::SOL_PACKET, option, std::ptr::from_ref(value).cast(), length) };
    if result < 0 {
        return Err(Error::last_os_error());
    }
    Ok(())
}
