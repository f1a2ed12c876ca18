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

    /// The place with this discriminant, if there is one.
    pub const fn of_bits(bits: u8) -> Option<FramePlace> {
        match bits {
            0b00 => Some(FramePlace::Only),
            0b01 => Some(FramePlace::First),
            0b10 => Some(FramePlace::Last),
            0b11 => Some(FramePlace::Middle),
            _ => None,
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
