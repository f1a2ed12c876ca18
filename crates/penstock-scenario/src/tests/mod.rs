//! Tests of what no published component uses yet.

mod nesting;
