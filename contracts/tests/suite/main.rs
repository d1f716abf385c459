//! The contracts' rules, on OdraVM or, with `ODRA_BACKEND=casper`, on the execution engine of a real node.
//!
//! A single binary, so that the frameworks are linked once.
mod attestation_registry;
mod board;
mod consumer;
mod feed_pin;
mod feed_registry;
mod gas;
mod hedge;
mod model;
mod period;
mod schemas;
mod series_pin;
mod support;
mod upgrades;

#[path = "../../wattfeed/tests/support/vectors.rs"]
mod vectors;
