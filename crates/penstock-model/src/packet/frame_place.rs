//! Position of a packet in its frame.

/// Position of a packet in its frame (application data unit), such as a picture of a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum FramePlace {
    /// It is the whole frame.
    #[default]
    Only = 0b00,
    /// The first packet of several.
    First = 0b01,
    /// The last packet of several.
    Last = 0b10,
    /// Between first and last.
    Middle = 0b11,
}

impl FramePlace {
    /// The place of packet `index`, from zero, of `count` packets.
    pub const fn of(index: u32, count: u32) -> FramePlace {
        match (index == 0, index + 1 == count) {
            (true, true) => FramePlace::Only,
            (true, false) => FramePlace::First,
            (false, true) => FramePlace::Last,
            (false, false) => FramePlace::Middle,
        }
    }

    /// Whether the frame begins with it.
    pub const fn is_first(self) -> bool {
        matches!(self, FramePlace::Only | FramePlace::First)
    }

    /// Whether the frame ends with it.
    pub const fn is_last(self) -> bool {
        matches!(self, FramePlace::Only | FramePlace::Last)
    }
}
