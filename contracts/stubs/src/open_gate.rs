//! A gate that accepts every account except those on its list.
use odra::prelude::*;

/// Replaces the EligibilityGate in tests of other contracts.
#[odra::module]
pub struct OpenGate {
    refused: Mapping<Address, bool>,
}

#[odra::module]
impl OpenGate {
    pub fn refuse(&mut self, who: Address) {
        self.refused.set(&who, true);
    }

    pub fn admit(&mut self, who: Address) {
        self.refused.set(&who, false);
    }

    pub fn is_eligible(&self, who: Address) -> bool {
        !self.refused.get_or_default(&who)
    }
}
