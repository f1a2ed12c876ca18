//! Parquet files of rows, written part by part: [Parquet] with pages of version 1, a row group for each batch.
//!
//! A library must hash every value of a column to find the distinct ones. Here the positions of words are already known, so a
//! value costs a few instructions.

mod chunk;
mod encodings;
mod footer;
mod thrift;

use crate::trace::{TraceColumn, TraceColumns};
use chunk::{ChunkEncoder, ColumnChunk};

/// At both ends of a file.
const MAGIC: &[u8; 4] = b"PAR1";

/// The one value of a column in which all rows have the same.
#[derive(Clone, Debug, PartialEq)]
pub enum ConstantValue {
    /// Unsigned, of 64 bits.
    Natural(u64),
    /// Of 64 bits.
    Float(f64),
    /// A text.
    Text(String),
}

/// A column in which all rows have the same value.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstantColumn {
    /// Its name.
    pub name: String,
    /// The value in all rows.
    pub value: ConstantValue,
}

/// A Parquet file that is being written; the caller appends the returned bytes to the file.
pub struct ParquetWriter {
    columns: Vec<TraceColumn>,
    /// Columns after the others.
    constants: Vec<ConstantColumn>,
    encoder: ChunkEncoder,
    groups: Vec<RowGroup>,
    /// Bytes of the file so far.
    offset: u64,
}

/// Metadata of a row group, for the footer.
struct RowGroup {
    rows: usize,
    /// In the order of the columns, the constant ones last.
    chunks: Vec<ColumnChunk>,
}

impl ParquetWriter {
    /// A file with these columns, followed by `constants`.
    pub fn new(columns: &[TraceColumn], constants: Vec<ConstantColumn>) -> ParquetWriter {
        ParquetWriter { columns: columns.to_vec(), constants, encoder: ChunkEncoder::default(), groups: Vec::new(), offset: 0 }
    }

    /// Returns the bytes of a row group of this batch, whose columns are the file's without the constant ones.
    pub fn row_group(&mut self, batch: &TraceColumns) -> Vec<u8> {
        let mut bytes = self.beginning();
        let mut chunks = Vec::new();
        for (column, values) in self.columns.iter().zip(&batch.values) {
            let offset = self.offset + bytes.len() as u64;
            let chunk = self.encoder.encode(&column.kind, batch.rows, values, &mut bytes);
            chunks.push(ColumnChunk { offset, ..chunk });
        }
        for column in &self.constants {
            let offset = self.offset + bytes.len() as u64;
            let chunk = self.encoder.encode_constant(&column.value, batch.rows, &mut bytes);
            chunks.push(ColumnChunk { offset, ..chunk });
        }
        self.offset += bytes.len() as u64;
        self.groups.push(RowGroup { rows: batch.rows, chunks });
        bytes
    }

    /// Returns the footer, with these keys and values as metadata.
    pub fn finish(self, metadata: &[(String, String)]) -> Vec<u8> {
        let mut bytes = self.beginning();
        let first = bytes.len();
        footer::write(&self.columns, &self.constants, &self.groups, metadata, &mut bytes);
        let size = u32::try_from(bytes.len() - first).expect("a footer of less than 4 GiB");
        bytes.extend(size.to_le_bytes());
        bytes.extend(MAGIC);
        bytes
    }

    /// The bytes before the first part.
    fn beginning(&self) -> Vec<u8> {
        if self.offset == 0 {
            MAGIC.to_vec()
        } else {
            Vec::new()
        }
    }
}
