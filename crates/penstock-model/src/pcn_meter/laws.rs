//! The laws that PCN meters follow under many packets.
