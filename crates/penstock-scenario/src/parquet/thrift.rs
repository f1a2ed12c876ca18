//! Thrift's compact protocol, as far as Parquet's headers need it [Thrift].

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const I8: u8 = 3;
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Writes an unsigned number, seven bits a byte, the lowest first (ULEB128).
pub(super) fn varint(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes a signed number, small ones in few bytes.
pub(super) fn zigzag(number: i64, bytes: &mut Vec<u8>) {
    varint((number << 1 ^ number >> 63) as u64, bytes);
}

/// A struct that is being written, its fields in the order of their numbers.
pub(super) struct Struct<'a> {
    bytes: &'a mut Vec<u8>,
    last: u8,
}

impl Struct<'_> {
    /// Writes a struct with the fields that `write` gives it.
    pub fn write(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Struct<'_>)) {
        let mut it = Struct { bytes, last: 0 };
        write(&mut it);
        it.bytes.push(0);
    }

    /// A number of 32 bits.
    pub fn i32(&mut self, field: u8, number: i32) {
        self.header(field, I32);
        zigzag(number.into(), self.bytes);
    }

    /// A number of 64 bits, which is not negative.
    pub fn i64(&mut self, field: u8, number: u64) {
        self.header(field, I64);
        zigzag(number as i64, self.bytes);
    }

    /// A number of 8 bits.
    pub fn i8(&mut self, field: u8, number: u8) {
        self.header(field, I8);
        self.bytes.push(number);
    }

    /// A truth value, which is part of its header.
    pub fn bool(&mut self, field: u8, value: bool) {
        self.header(field, if value { TRUE } else { FALSE });
    }

    /// A text.
    pub fn text(&mut self, field: u8, text: &str) {
        self.header(field, BINARY);
        varint(text.len() as u64, self.bytes);
        self.bytes.extend(text.as_bytes());
    }

    /// A struct within this one.
    pub fn structure(&mut self, field: u8, write: impl FnOnce(&mut Struct<'_>)) {
        self.header(field, STRUCT);
        Struct::write(self.bytes, write);
    }

    /// A list of structs.
    pub fn structures<T>(&mut self, field: u8, items: &[T], mut write: impl FnMut(&T, &mut Struct<'_>)) {
        self.list(field, STRUCT, items.len());
        items.iter().for_each(|item| Struct::write(self.bytes, |it| write(item, it)));
    }

    /// A list of numbers of 32 bits.
    pub fn i32s(&mut self, field: u8, numbers: &[i32]) {
        self.list(field, I32, numbers.len());
        numbers.iter().for_each(|number| zigzag((*number).into(), self.bytes));
    }

    /// A list of one text.
    pub fn one_text(&mut self, field: u8, text: &str) {
        self.list(field, BINARY, 1);
        varint(text.len() as u64, self.bytes);
        self.bytes.extend(text.as_bytes());
    }

    fn list(&mut self, field: u8, kind: u8, size: usize) {
        self.header(field, LIST);
        if size < 15 {
            self.bytes.push((size as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(size as u64, self.bytes);
        }
    }

    /// Fields are less than 16 apart here, so that the short form is enough.
    fn header(&mut self, field: u8, kind: u8) {
        debug_assert!(self.last < field && field < self.last + 16, "{} after {}", field, self.last);
        self.bytes.push((field - self.last) << 4 | kind);
        self.last = field;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_as_few_bytes_as_they_need() {
        let bytes = |number| {
            let mut bytes = Vec::new();
            zigzag(number, &mut bytes);
            bytes
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(-1), [1]);
        assert_eq!(bytes(63), [126]);
        assert_eq!(bytes(64), [0x80, 1]);
        assert_eq!(bytes(i64::MIN).len(), 10);
    }

    #[test]
    fn a_field_says_how_far_it_is_from_the_last_and_a_long_list_its_size() {
        let mut bytes = Vec::new();
        Struct::write(&mut bytes, |it| {
            it.i32(1, 2);
            it.bool(4, true);
            it.i32s(5, &[1; 15]);
        });
        assert_eq!(bytes[..7], [0x15, 4, 0x31, 0x19, 0xf5, 15, 2]);
        assert_eq!((bytes.len(), bytes[20]), (22, 2));
    }
}
