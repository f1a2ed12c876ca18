//! Position of a packet in its frame.

/// Position of a packet in its frame (application data unit), such as a picture of a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum FramePlace {
    /// The only packet of the frame.
    #[default]
    Only = 0b00,
    /// The first of several packets.
    First = 0b01,
    /// The last of several packets.
    Last = 0b10,
    /// Neither the first nor the last.
    Middle = 0b11,
}

impl FramePlace {
    /// Position of packet `index`, from zero, of `count` packets.
    pub const fn of(index: u32, count: u32) -> FramePlace {
        match (index == 0, index + 1 == count) {
            (true, true) => FramePlace::Only,
            (true, false) => FramePlace::First,
            (false, true) => FramePlace::Last,
            (false, false) => FramePlace::Middle,
        }
    }

    /// Position with this discriminant; `None` if there is none.
    pub const fn of_bits(bits: u8) -> Option<FramePlace> {
        match bits {
            0b00 => Some(FramePlace::Only),
            0b01 => Some(FramePlace::First),
            0b10 => Some(FramePlace::Last),
            0b11 => Some(FramePlace::Middle),
            _ => None,
        }
    }

    /// Whether the packet begins the frame.
    pub const fn is_first(self) -> bool {
        matches!(self, FramePlace::Only | FramePlace::First)
    }

    /// Whether the packet ends the frame.
    pub const fn is_last(self) -> bool {
        matches!(self, FramePlace::Only | FramePlace::Last)
    }
}
