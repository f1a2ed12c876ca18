//! Tests of features that no published component uses yet.

mod nesting;
