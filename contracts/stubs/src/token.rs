//! A token of one issuer.
use odra::casper_types::U256;
use odra::prelude::*;

/// The owner has fewer tokens than the transfer needs.
#[odra::odra_error]
pub enum TokenError {
    InsufficientBalance = 1,
}

/// The owner's tokens have moved.
#[odra::event]
pub struct Transfer {
    pub sender: Address,
    pub recipient: Address,
    pub amount: U256,
}

/// A second contract for the examples of the embedded chain's package: callers, balances, an error and an event.
#[odra::module(events = [Transfer], errors = TokenError)]
pub struct Token {
    balances: Mapping<Address, U256>,
    total_supply: Var<U256>,
}

#[odra::module]
impl Token {
    pub fn init(&mut self, total_supply: U256) {
        self.total_supply.set(total_supply);
        self.balances.set(&self.env().caller(), total_supply);
    }

    pub fn transfer(&mut self, recipient: Address, amount: U256) {
        let sender = self.env().caller();
        let balance = self.balance_of(sender);
        if balance < amount {
            self.env().revert(TokenError::InsufficientBalance);
        }
        self.balances.set(&sender, balance - amount);
        self.balances.add(&recipient, amount);
        self.env().emit_event(Transfer {
            sender,
            recipient,
            amount,
        });
    }

    pub fn balance_of(&self, owner: Address) -> U256 {
        self.balances.get_or_default(&owner)
    }
}
