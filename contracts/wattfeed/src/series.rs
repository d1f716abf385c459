//! Pins of series of a dataset, and proofs of their values.
