//! The values of a column in one row group: a page of distinct values if there are few of them, and a page of data.

use super::encodings::{bits, differences, pack, repeated, run};
use super::footer::{self, Codec, Encoding, PageKind};
use super::ConstantValue;
use crate::trace::{word_bytes, ColumnKind};

/// Numbers whose range is at most this are stored as positions in a list of the distinct values.
const WIDEST: usize = 1 << 16;

/// Metadata of a column in one row group, for the footer.
pub(super) struct ColumnChunk {
    /// Position of the first page in the file.
    pub offset: u64,
    /// Bytes of the page of distinct values; 0 if there is none.
    pub dictionary_bytes: u64,
    /// Bytes of both pages.
    pub bytes: u64,
    /// Bytes of both pages before they were compressed.
    pub plain_bytes: u64,
    pub encoding: Encoding,
    pub codec: Codec,
}

/// Encodes one column after another, reusing its buffers.
#[derive(Default)]
pub(super) struct ChunkEncoder {
    page: Vec<u8>,
    compressed: Vec<u8>,
    /// For each value from the minimum: whether it occurs; later its rank among the values that occur.
    ranks: Vec<u32>,
    positions: Vec<u32>,
    present: Vec<u32>,
}

impl ChunkEncoder {
    /// Appends the pages of a column of `rows` rows, with `values` as [`ColumnKind`] says; the chunk begins at 0.
    pub fn encode(&mut self, kind: &ColumnKind, rows: usize, values: &[u8], bytes: &mut Vec<u8>) -> ColumnChunk {
        self.page.clear();
        match kind {
            ColumnKind::Integer => self.integers(rows, values, bytes),
            ColumnKind::Switch => self.switches(rows, values, bytes),
            ColumnKind::Float => self.floats(rows, values, bytes),
            ColumnKind::Natural => self.naturals::<4>(rows, values, bytes),
            ColumnKind::Small => self.naturals::<1>(rows, values, bytes),
            ColumnKind::Word(words) => match word_bytes(words.len()) {
                1 => self.words::<1>(words, rows, values, bytes),
                2 => self.words::<2>(words, rows, values, bytes),
                _ => self.words::<4>(words, rows, values, bytes),
            },
        }
    }

    /// Appends the pages of a column in which all `rows` rows have this value; the chunk begins at 0.
    pub fn encode_constant(&mut self, value: &ConstantValue, rows: usize, bytes: &mut Vec<u8>) -> ColumnChunk {
        let dictionary = match value {
            ConstantValue::Natural(number) => number.to_le_bytes().to_vec(),
            ConstantValue::Float(number) => number.to_le_bytes().to_vec(),
            ConstantValue::Text(text) => sized_text(text),
        };
        let mut parts = Parts::new(Codec::None);
        parts.append(PageKind::Dictionary, 1, Encoding::Plain, &dictionary, &mut self.compressed, bytes);
        self.page.clear();
        self.all_present(rows);
        self.page.push(1);
        repeated(0, rows, 1, &mut self.page);
        self.finish(parts, rows, Encoding::Positions, bytes)
    }

    /// Encodes times as differences, uncompressed because compression would not make them smaller.
    fn integers(&mut self, rows: usize, values: &[u8], bytes: &mut Vec<u8>) -> ColumnChunk {
        let numbers: Vec<i64> = values.as_chunks().0.iter().map(|number| i64::from_le_bytes(*number)).collect();
        self.all_present(rows);
        differences(&numbers, &mut self.page);
        self.finish(Parts::new(Codec::None), rows, Encoding::Differences, bytes)
    }

    fn switches(&mut self, rows: usize, values: &[u8], bytes: &mut Vec<u8>) -> ColumnChunk {
        self.all_present(rows);
        pack(values.iter().map(|value| u64::from(*value)), 1, &mut self.page);
        self.finish(Parts::new(Codec::Lz4), rows, Encoding::Plain, bytes)
    }

    fn floats(&mut self, rows: usize, values: &[u8], bytes: &mut Vec<u8>) -> ColumnChunk {
        let values = values.as_chunks().0;
        let is_there = |value: &&[u8; 8]| !f64::from_le_bytes(**value).is_nan();
        self.present.clear();
        self.present.extend(values.iter().map(|value| u32::from(is_there(&value))));
        self.levels();
        values.iter().filter(is_there).for_each(|value| self.page.extend(value));
        self.finish(Parts::new(Codec::Lz4), rows, Encoding::Plain, bytes)
    }

    /// Encodes numbers of `N` bytes: as positions among the distinct values, or plain if their range is too large.
    fn naturals<const N: usize>(&mut self, rows: usize, values: &[u8], bytes: &mut Vec<u8>) -> ColumnChunk {
        let numbers = values.as_chunks::<N>().0;
        let there = || numbers.iter().map(number).filter(|number| *number != none::<N>());
        let (least, largest) = there().fold((u32::MAX, 0), |(least, largest), number| (least.min(number), largest.max(number)));
        let width = largest.saturating_sub(least) as usize + 1;
        if width > WIDEST {
            self.mark_present(numbers);
            self.levels();
            there().for_each(|number| self.page.extend(number.to_le_bytes()));
            return self.finish(Parts::new(Codec::Lz4), rows, Encoding::Plain, bytes);
        }
        self.rank(numbers, least, width);
        let distinct = self.distinct().map(|rank| least + rank).collect::<Vec<u32>>();
        self.positions(numbers, least);
        let dictionary: Vec<u8> = distinct.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.finish_positions(rows, distinct.len(), &dictionary, bytes)
    }

    /// Encodes positions of words: as positions among the words that occur.
    fn words<const N: usize>(&mut self, words: &[String], rows: usize, values: &[u8], bytes: &mut Vec<u8>) -> ColumnChunk {
        let numbers = values.as_chunks::<N>().0;
        self.rank(numbers, 0, words.len());
        let mut dictionary = Vec::new();
        let mut distinct = 0;
        for rank in self.distinct() {
            dictionary.extend(sized_text(&words[rank as usize]));
            distinct += 1;
        }
        self.positions(numbers, 0);
        self.finish_positions(rows, distinct, &dictionary, bytes)
    }

    /// Marks which of the `width` values from `least` on occur among the numbers.
    fn rank<const N: usize>(&mut self, numbers: &[[u8; N]], least: u32, width: usize) {
        self.ranks.clear();
        self.ranks.resize(width, 0);
        for number in numbers.iter().map(number).filter(|number| *number != none::<N>()) {
            self.ranks[(number - least) as usize] = 1;
        }
    }

    /// The marked values, relative to the minimum.
    fn distinct(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranks.iter().enumerate().filter(|(_, mark)| **mark == 1).map(|(rank, _)| rank as u32)
    }

    /// Replaces marks by ranks, and looks up the positions of the numbers.
    fn positions<const N: usize>(&mut self, numbers: &[[u8; N]], least: u32) {
        let mut next = 0;
        for rank in &mut self.ranks {
            next += std::mem::replace(rank, next);
        }
        let there = numbers.iter().map(number).filter(|number| *number != none::<N>());
        self.positions.clear();
        self.positions.extend(there.map(|number| self.ranks[(number - least) as usize]));
        self.mark_present(numbers);
    }

    fn mark_present<const N: usize>(&mut self, numbers: &[[u8; N]]) {
        self.present.clear();
        self.present.extend(numbers.iter().map(|bytes| u32::from(number(bytes) != none::<N>())));
    }

    /// Begins a page of data with the definition levels, which say which values are present.
    fn levels(&mut self) {
        self.sized(|it| run(&it.present, 1, &mut it.page));
    }

    /// Begins a page of data in which all values are present.
    fn all_present(&mut self, rows: usize) {
        self.sized(|it| repeated(1, rows, 1, &mut it.page));
    }

    /// Appends to the page what `write` appends, preceded by its size.
    fn sized(&mut self, write: impl FnOnce(&mut ChunkEncoder)) {
        self.page.extend([0; 4]);
        write(self);
        let size = (self.page.len() - 4) as u32;
        self.page[..4].copy_from_slice(&size.to_le_bytes());
    }

    /// Appends the page of distinct values, and that of positions among them.
    fn finish_positions(&mut self, rows: usize, distinct: usize, dictionary: &[u8], bytes: &mut Vec<u8>) -> ColumnChunk {
        let mut parts = Parts::new(Codec::Lz4);
        parts.append(PageKind::Dictionary, distinct, Encoding::Plain, dictionary, &mut self.compressed, bytes);
        self.levels();
        // Positions of no bits are allowed, but rare in files, and not every reader may have met them.
        let width = bits(distinct.saturating_sub(1) as u64).max(1);
        self.page.push(width as u8);
        run(&self.positions, width, &mut self.page);
        self.finish(parts, rows, Encoding::Positions, bytes)
    }

    /// Appends the page of data.
    fn finish(&mut self, mut parts: Parts, rows: usize, encoding: Encoding, bytes: &mut Vec<u8>) -> ColumnChunk {
        let dictionary_bytes = parts.bytes;
        parts.append(PageKind::Data, rows, encoding, &self.page, &mut self.compressed, bytes);
        let Parts { codec, bytes, plain_bytes } = parts;
        ColumnChunk { offset: 0, dictionary_bytes, bytes, plain_bytes, encoding, codec }
    }
}

/// The pages of a column so far.
struct Parts {
    codec: Codec,
    bytes: u64,
    plain_bytes: u64,
}

impl Parts {
    fn new(codec: Codec) -> Parts {
        Parts { codec, bytes: 0, plain_bytes: 0 }
    }

    /// Appends a page and its header.
    fn append(&mut self, kind: PageKind, values: usize, encoding: Encoding, page: &[u8], buffer: &mut Vec<u8>, bytes: &mut Vec<u8>) {
        let written = match self.codec {
            Codec::None => page,
            Codec::Lz4 => {
                buffer.resize(lz4_flex::block::get_maximum_output_size(page.len()), 0);
                let size = lz4_flex::block::compress_into(page, buffer).expect("the buffer is large enough for whatever comes out");
                &buffer[..size]
            }
        };
        let first = bytes.len();
        footer::page_header(kind, values, encoding, (page.len(), written.len()), bytes);
        let header = bytes.len() - first;
        bytes.extend(written);
        self.bytes += (header + written.len()) as u64;
        self.plain_bytes += (header + page.len()) as u64;
    }
}

/// A text in a page, behind its size.
fn sized_text(text: &str) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
}

/// Marker of a missing number of `N` bytes: all bits set.
const fn none<const N: usize>() -> u32 {
    u32::MAX >> (32 - 8 * N)
}

#[inline]
fn number<const N: usize>(bytes: &[u8; N]) -> u32 {
    let mut number = [0; 4];
    number[..N].copy_from_slice(bytes);
    u32::from_le_bytes(number)
}
