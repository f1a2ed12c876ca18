//! Metadata of pages, columns and the file [Parquet], with the field numbers of the format.

use super::thrift::Struct;
use super::{ColumnChunk, ConstantColumn, ConstantValue, RowGroup};
use crate::trace::{ColumnKind, TraceColumn};

/// The program that wrote a file.
const CREATED_BY: &str = concat!("Penstock version ", env!("CARGO_PKG_VERSION"));

/// The content of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PageKind {
    Data = 0,
    Dictionary = 2,
}

/// Encoding of values as bytes; definition and repetition levels have `Runs`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Plain = 0,
    Runs = 3,
    /// DELTA_BINARY_PACKED.
    Differences = 5,
    /// RLE_DICTIONARY: positions among the distinct values.
    Positions = 8,
}

/// Compression of pages.
#[derive(Clone, Copy)]
pub(super) enum Codec {
    None = 0,
    /// LZ4_RAW: a block without a frame.
    Lz4 = 7,
}

const OPTIONAL: i32 = 1;

/// Writes the header of a page with its sizes in bytes, plain and compressed.
pub(super) fn page_header(kind: PageKind, values: usize, encoding: Encoding, (plain, written): (usize, usize), bytes: &mut Vec<u8>) {
    Struct::write(bytes, |page| {
        page.i32(1, kind as i32);
        page.i32(2, plain as i32);
        page.i32(3, written as i32);
        match kind {
            PageKind::Data => page.structure(5, |data| {
                data.i32(1, values as i32);
                data.i32(2, encoding as i32);
                // Definition and repetition levels.
                data.i32(3, Encoding::Runs as i32);
                data.i32(4, Encoding::Runs as i32);
            }),
            PageKind::Dictionary => page.structure(7, |dictionary| {
                dictionary.i32(1, values as i32);
                dictionary.i32(2, encoding as i32);
            }),
        }
    });
}

/// Writes the footer of a file.
pub(super) fn write(
    columns: &[TraceColumn],
    constants: &[ConstantColumn],
    groups: &[RowGroup],
    metadata: &[(String, String)],
    bytes: &mut Vec<u8>,
) {
    let leaves: Vec<Leaf<'_>> = columns.iter().map(Leaf::of).chain(constants.iter().map(Leaf::of_constant)).collect();
    let root = [Element::Root(leaves.len())];
    let elements: Vec<Element<'_>> = root.into_iter().chain(leaves.iter().map(Element::Column)).collect();
    Struct::write(bytes, |file| {
        file.i32(1, 1);
        file.structures(2, &elements, |element, it| element.write(it));
        file.i64(3, groups.iter().map(|group| group.rows as u64).sum());
        file.structures(4, groups, |group, it| row_group(&leaves, group, it));
        file.structures(5, metadata, |(key, value), it| {
            it.text(1, key);
            it.text(2, value);
        });
        file.text(6, CREATED_BY);
    });
}

/// A column as the footer describes it.
struct Leaf<'a> {
    name: &'a str,
    kind: LeafKind,
}

/// The type of a column's values.
#[derive(Clone, Copy)]
enum LeafKind {
    Switch,
    /// Unsigned, with this number of bits.
    Unsigned(u8),
    Signed64,
    Float,
    Text,
}

impl Leaf<'_> {
    fn of(column: &TraceColumn) -> Leaf<'_> {
        let kind = match column.kind {
            ColumnKind::Switch => LeafKind::Switch,
            ColumnKind::Natural => LeafKind::Unsigned(32),
            ColumnKind::Small => LeafKind::Unsigned(8),
            ColumnKind::Integer => LeafKind::Signed64,
            ColumnKind::Float => LeafKind::Float,
            ColumnKind::Word(_) => LeafKind::Text,
        };
        Leaf { name: column.name, kind }
    }

    fn of_constant(column: &ConstantColumn) -> Leaf<'_> {
        let kind = match column.value {
            ConstantValue::Natural(_) => LeafKind::Unsigned(64),
            ConstantValue::Float(_) => LeafKind::Float,
            ConstantValue::Text(_) => LeafKind::Text,
        };
        Leaf { name: &column.name, kind }
    }
}

impl LeafKind {
    /// The number of the physical type.
    fn physical_type(self) -> i32 {
        match self {
            LeafKind::Switch => 0,
            LeafKind::Unsigned(8 | 32) => 1,
            LeafKind::Unsigned(_) | LeafKind::Signed64 => 2,
            LeafKind::Float => 5,
            LeafKind::Text => 6,
        }
    }
}

/// A line of the schema, which is a tree that is written from its root.
enum Element<'a> {
    Root(usize),
    Column(&'a Leaf<'a>),
}

impl Element<'_> {
    fn write(&self, it: &mut Struct<'_>) {
        match self {
            Element::Root(columns) => {
                it.text(4, "root");
                it.i32(5, *columns as i32);
            }
            Element::Column(column) => {
                it.i32(1, column.kind.physical_type());
                it.i32(3, OPTIONAL);
                it.text(4, column.name);
                // The meaning in the old form and in the new one.
                match column.kind {
                    LeafKind::Unsigned(bits) => {
                        // UINT_8 is 11, and each doubling of the bits one more.
                        it.i32(6, 8 + bits.ilog2() as i32);
                        it.structure(10, |meaning| unsigned(bits, meaning));
                    }
                    LeafKind::Text => {
                        it.i32(6, 0);
                        it.structure(10, |meaning| meaning.structure(1, |_string| {}));
                    }
                    LeafKind::Signed64 | LeafKind::Switch | LeafKind::Float => {}
                }
            }
        }
    }
}

fn unsigned(bits: u8, meaning: &mut Struct<'_>) {
    meaning.structure(10, |integer| {
        integer.i8(1, bits);
        integer.bool(2, false);
    });
}

fn row_group(columns: &[Leaf<'_>], group: &RowGroup, it: &mut Struct<'_>) {
    let sum = |size: fn(&ColumnChunk) -> u64| group.chunks.iter().map(size).sum();
    let chunks: Vec<_> = columns.iter().zip(&group.chunks).collect();
    it.structures(1, &chunks, |(column, chunk), it| column_chunk(column, chunk, group.rows, it));
    it.i64(2, sum(|chunk| chunk.plain_bytes));
    it.i64(3, group.rows as u64);
    it.i64(5, group.chunks.first().map_or(0, |chunk| chunk.offset));
    it.i64(6, sum(|chunk| chunk.bytes));
}

fn column_chunk(column: &Leaf<'_>, chunk: &ColumnChunk, rows: usize, it: &mut Struct<'_>) {
    let mut encodings = vec![Encoding::Runs as i32, chunk.encoding as i32];
    if chunk.encoding == Encoding::Positions {
        encodings.push(Encoding::Plain as i32);
    }
    it.i64(2, 0);
    it.structure(3, |it| {
        it.i32(1, column.kind.physical_type());
        it.i32s(2, &encodings);
        it.one_text(3, column.name);
        it.i32(4, chunk.codec as i32);
        it.i64(5, rows as u64);
        it.i64(6, chunk.plain_bytes);
        it.i64(7, chunk.bytes);
        it.i64(9, chunk.offset + chunk.dictionary_bytes);
        if chunk.dictionary_bytes > 0 {
            it.i64(11, chunk.offset);
        }
    });
}
