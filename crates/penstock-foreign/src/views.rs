//! What hooks see of the engine: structures of words of 64 bits, whose layout is that of C.

/// A structure of words.
pub(crate) trait View {
    /// The names of its fields, and how many words each has.
    const FIELDS: &'static [(&'static str, usize)];

    /// Its words.
    fn words(&self) -> &[i64];
}

macro_rules! views {
    ($( $(#[doc = $doc:literal])* $name:ident { $( $(#[doc = $field_doc:literal])* $field:ident $(: $length:literal)?, )* } )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Copy, Debug, Default)]
            #[repr(C)]
            pub(crate) struct $name {
                $( $(#[doc = $field_doc])* pub $field: views!(@type $($length)?), )*
            }

            impl View for $name {
                const FIELDS: &'static [(&'static str, usize)] =
                    &[$( (stringify!($field), size_of::<views!(@type $($length)?)>() / 8), )*];

                #[inline]
                fn words(&self) -> &[i64] {
                    // SAFETY: the structure has the layout of C and consists of words of this type only.
                    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Self>() / 8) }
                }
            }
        )*

        /// The names of all views.
        pub const VIEWS: &[&str] = &[$( stringify!($name), )*];

        /// The names of the fields of a view in the order of its layout, and how many words each has.
        pub fn view_fields(name: &str) -> Option<&'static [(&'static str, usize)]> {
            $( if name == stringify!($name) { return Some(<$name as View>::FIELDS); } )*
            None
        }
    };
    (@type $length:literal) => { [i64; $length] };
    (@type) => { i64 };
}

views! {
    /// A packet.
    Packet {
        /// Bytes.
        size,
        /// Number of its flow.
        flow,
        /// Its number among the packets of its sender.
        number,
        /// Drop precedence; 0 is the best protected.
        precedence,
        /// Number of its traffic class.
        traffic_class,
        /// Its ECN codepoint [RFC3168 s5]: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
        ecn,
        /// 1 if it is ECN-capable.
        is_capable,
    }
    /// The queue of a discipline, without the packet.
    Queue {
        /// Packets that wait.
        packets,
        /// Bytes that wait.
        bytes,
        /// 1 if the arriving packet fits into `limit`.
        has_room,
        /// Time since which the port has had nothing to send (ps); never while it is busy.
        idle_since,
        /// Arrival time of the head (ps); never if nothing waits.
        head_since,
        /// Rate of the link at the beginning (bit/s).
        rate,
        /// Packets that wait of each drop precedence.
        of_precedence: 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_view_are_its_fields_in_order() {
        let queue = Queue { packets: 1, rate: 6, of_precedence: [7, 8, 9, 10], ..Queue::default() };
        assert_eq!(queue.words(), [1, 0, 0, 0, 0, 6, 7, 8, 9, 10]);
        assert_eq!(view_fields("Queue").map(|fields| fields[6]), Some(("of_precedence", 4)));
        assert_eq!(view_fields("Line"), None);
    }
}
