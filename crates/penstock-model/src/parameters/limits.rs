//! Limits of queues: optional ones, and ones that are only in packets or in cells.

use super::{Kind, Limit, LineRate, Parameter, Value};

/// Limit of a queue that need not have its own: a [`Limit`], or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnLimit(pub Option<Limit>);

impl OwnLimit {
    /// Whether a packet of `size` bytes fits in addition to these packets and bytes.
    #[inline(always)]
    pub fn has_room(self, packets: u32, bytes: u64, size: u32) -> bool {
        self.0.is_none_or(|limit| limit.has_room(packets, bytes, size))
    }
}

impl Parameter for OwnLimit {
    const KIND: Kind = Limit::KIND;
    const RANGE: &'static str =
        "at least 1 packet or 1 byte; at a link also a time, such as `5 ms`, for what it sends in that time at its \
                                 initial rate; `none` for no limit but that of a buffer that ports share";
    fn at_line(value: Value, line: LineRate) -> Value {
        line.length(value)
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(text) if text == "none" => Ok(OwnLimit(None)),
            _ => Limit::from_value(value).map(Some).map(OwnLimit).map_err(|message| format!("{message}, or \"none\"")),
        }
    }
}

/// A [`Limit`] of something other than a link, such as a memory or a window, which cannot be a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount(pub Limit);

impl Parameter for Amount {
    const KIND: Kind = Limit::KIND;
    const RANGE: &'static str = "at least 1 packet or 1 byte";
    fn from_value(value: &Value) -> Result<Self, String> {
        Limit::from_value(value).map(Amount)
    }
}

/// A limit in packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketLimit(pub u32);

impl From<PacketLimit> for Limit {
    fn from(PacketLimit(packets): PacketLimit) -> Limit {
        Limit::Packets(packets)
    }
}

impl Parameter for PacketLimit {
    const KIND: Kind = Limit::KIND;
    const RANGE: &'static str = "in packets, at least 1";
    fn from_value(value: &Value) -> Result<Self, String> {
        match Limit::from_value(value) {
            Ok(Limit::Packets(packets)) => Ok(PacketLimit(packets)),
            _ => Err(format!("{} is not a number of packets above zero; write \"60 packets\"", value.quoted())),
        }
    }
}

/// A number of cells, as in `200 cells`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells(pub u32);

impl Parameter for Cells {
    const KIND: Kind = Kind::Quantity("200 cells");
    const RANGE: &'static str =
        "at least 1 cell; at a link also a time, such as `5 ms`, for the cells that it sends in that time at its initial rate";
    fn at_line(value: Value, line: LineRate) -> Value {
        Limit::at_line(value, line)
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match Limit::from_value(value) {
            Ok(Limit::Packets(cells)) => Ok(Cells(cells)),
            Ok(Limit::Bytes(_)) => Err("must be in cells, as in \"200 cells\"".to_owned()),
            Err(_) => Err(format!("{} is not a number of cells between 1 and {}; write \"200 cells\"", value.quoted(), u32::MAX)),
        }
    }
}
