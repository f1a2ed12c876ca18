//! Values as written, before units are read.

use crate::printable::quoted;

/// A value as written in the scenario, before its unit is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A quoted text, usually a quantity such as `10 Mbit/s`.
    Text(String),
    /// A bare whole number.
    Integer(i64),
    /// A bare decimal number.
    Float(f64),
    /// `true` or `false`.
    Switch(bool),
    /// A list.
    List(Vec<Value>),
    /// An inline table, in the order written.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The value as quoted in an error message.
    pub fn quoted(&self) -> String {
        match self {
            Value::Text(text) => quoted(text),
            Value::Integer(number) => number.to_string(),
            // Keeps the point of a whole number such as `1.0`, which integers refuse.
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("{number:.1}"),
            Value::Float(number) => decimal(*number),
            Value::Switch(switch) => switch.to_string(),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}

/// Formats a number with few digits; all digits of 1e308 would fill several lines.
pub(super) fn decimal(number: f64) -> String {
    if number == 0.0 || (1e-6..1e15).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

/// Converts a default as written in [`parameters!`]: to a number or switch if it reads as one, otherwise to text.
pub fn default_value(text: &str) -> Value {
    if let Ok(number) = text.parse::<i64>() {
        return Value::Integer(number);
    }
    match (text.parse::<f64>(), text.parse::<bool>()) {
        (Ok(number), _) => Value::Float(number),
        (_, Ok(switch)) => Value::Switch(switch),
        _ => Value::Text(text.to_owned()),
    }
}
