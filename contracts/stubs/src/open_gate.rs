//! A gate that lets in everybody but those whom it was told to refuse.
use odra::prelude::*;

/// Stands in for the EligibilityGate where a test is about something else.
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
