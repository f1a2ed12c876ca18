//! To be written next.
pub fn catalogue() -> serde_json::Value {
    serde_json::Value::Null
}
