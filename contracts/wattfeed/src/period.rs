//! The integers of periods on chain.
