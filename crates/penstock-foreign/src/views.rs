//! Views, the parts of the engine that hooks see: structures of words of 64 bits with the layout of C.

/// A structure of words. A hook reads all of them and may write some.
pub(crate) trait View: Copy + Default {
    /// Its name and fields.
    const LAYOUT: Layout;
    /// Whether a hook may write any field.
    const IS_WRITTEN: bool = any_written(Self::LAYOUT.fields);

    /// Its words.
    fn words(&self) -> &[u64] {
        // SAFETY: `views!` makes structures with the layout of C and the alignment of words that consist of fields of 64 bits only.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Self>() / 8) }
    }
}

/// The layout of a view.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Its name.
    pub name: &'static str,
    /// Its fields, in order.
    pub fields: &'static [ViewField],
}

/// A field of a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewField {
    /// Its name.
    pub name: &'static str,
    /// Whether its words are floating-point numbers.
    pub is_float: bool,
    /// Number of words; a field with several words is a list.
    pub length: usize,
    /// Whether a hook may write it.
    pub is_written: bool,
}

/// Types of fields.
pub(crate) trait Words {
    const IS_FLOAT: bool;
}

impl Words for i64 {
    const IS_FLOAT: bool = false;
}

impl Words for f64 {
    const IS_FLOAT: bool = true;
}

impl<T: Words, const N: usize> Words for [T; N] {
    const IS_FLOAT: bool = T::IS_FLOAT;
}

const fn any_written(fields: &[ViewField]) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if fields[i].is_written {
            return true;
        }
        i += 1;
    }
    false
}

/// Declares views: `field: type,`, or `field: type => written,` for a field that a hook may write. A type is `i64`, `f64`, or an array
/// of one.
macro_rules! views {
    ($( $(#[doc = $doc:literal])* $name:ident { $( $(#[doc = $field_doc:literal])* $field:ident: $type:ty $(=> $written:ident)?, )* } )*) => {
        $(
            $(#[doc = $doc])*
            #[derive(Clone, Copy, Debug, Default)]
            #[repr(C, align(8))]
            pub(crate) struct $name {
                $( $(#[doc = $field_doc])* pub $field: $type, )*
            }

            impl $crate::views::View for $name {
                const LAYOUT: $crate::views::Layout = $crate::views::Layout {
                    name: stringify!($name),
                    fields: &[$( $crate::views::ViewField {
                        name: stringify!($field),
                        is_float: <$type as $crate::views::Words>::IS_FLOAT,
                        length: size_of::<$type>() / 8,
                        is_written: !matches!(stringify!($($written)?).as_bytes(), []),
                    }, )*],
                };
            }
        )*
    };
}
pub(crate) use views;

views! {
    /// A packet.
    Packet {
        /// Bytes.
        size: i64,
        /// Number of its flow.
        flow: i64,
        /// Its number among the packets of its sender.
        number: i64,
        /// Drop precedence; 0 is the best protected.
        precedence: i64,
        /// Number of its traffic class.
        traffic_class: i64,
        /// Its ECN codepoint [RFC3168 s5]: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
        ecn: i64,
        /// 1 if it is ECN-capable.
        is_capable: i64,
    }
    /// An empty view, for hooks that see one view or none.
    Nothing {}
}

impl Packet {
    /// A packet, as hooks see it.
    #[inline]
    pub fn of(packet: &penstock_model::packet::Packet) -> Packet {
        use penstock_model::packet::Ecn;
        let ecn = match packet.ecn {
            Ecn::NotEct => 0,
            Ecn::Ect1 => 1,
            Ecn::Ect0 => 2,
            Ecn::Ce => 3,
        };
        Packet {
            size: i64::from(packet.size),
            flow: i64::from(packet.flow.0),
            number: i64::from(packet.sequence()),
            precedence: i64::from(packet.precedence),
            traffic_class: i64::from(packet.class),
            ecn,
            is_capable: i64::from(ecn != 0),
        }
    }
}

/// A number for a view, read on its own: one load of several neighbours that were just written one by one stalls on store forwarding.
#[inline]
pub(crate) fn count(number: &u32) -> i64 {
    // SAFETY: a reference may be read.
    i64::from(unsafe { std::ptr::from_ref(number).read_volatile() })
}

/// A time in picoseconds, as hooks know it.
#[inline]
pub(crate) fn ps(time: penstock_model::units::Time) -> i64 {
    i64::try_from(time.as_ps()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    views! {
        /// A view of each type of field.
        Mixed {
            /// A whole number.
            count: i64,
            /// A list.
            levels: [i64; 2],
            /// A number that hooks write.
            rate: f64 => written,
        }
    }

    #[test]
    fn the_words_of_a_view_are_its_fields_in_order() {
        let mixed = Mixed { count: 1, levels: [7, 8], rate: 2.5 };
        assert_eq!(mixed.words(), [1, 7, 8, 2.5f64.to_bits()]);
        let of = |name, is_float, length, is_written| ViewField { name, is_float, length, is_written };
        assert_eq!(Mixed::LAYOUT.fields, [of("count", false, 1, false), of("levels", false, 2, false), of("rate", true, 1, true)]);
        assert_eq!((Mixed::IS_WRITTEN, Packet::IS_WRITTEN), (true, false));
    }
}
