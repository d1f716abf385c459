//! A counter: the smallest contract that keeps something.
use odra::prelude::*;

/// What the examples of the embedded chain's package test.
#[odra::module]
pub struct Counter {
    value: Var<u32>,
}

#[odra::module]
impl Counter {
    pub fn init(&mut self, initial: u32) {
        self.value.set(initial);
    }

    pub fn increment(&mut self, by: u32) {
        self.value.add(by);
    }

    pub fn value(&self) -> u32 {
        self.value.get_or_default()
    }
}
