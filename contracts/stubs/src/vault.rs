//! A contract that keeps and sends motes, for tests of the embedded chain.
use odra::casper_types::U512;
use odra::prelude::*;
use odra::ContractRef;

#[odra::event]
pub struct Deposited {
    pub from: Address,
    pub motes: U512,
}

#[odra::event]
pub struct Withdrawn {
    pub to: Address,
    pub motes: U512,
}

#[odra::odra_error]
pub enum Error {
    TooMuch = 1,
}

#[odra::module(events = [Deposited, Withdrawn], errors = Error)]
pub struct Vault {
    deposits: Mapping<Address, U512>,
    fee: Var<U512>,
}

#[odra::module]
impl Vault {
    pub fn init(&mut self, fee: U512) {
        self.fee.set(fee);
    }

    pub fn upgrade(&mut self, fee: U512) {
        self.fee.set(fee);
    }

    #[odra(payable)]
    pub fn deposit(&mut self) {
        let from = self.env().caller();
        let motes = self.env().attached_value();
        self.deposits.add(&from, motes);
        self.env().emit_event(Deposited { from, motes });
    }

    /// Sends motes back to the caller, less the fee.
    pub fn withdraw(&mut self, motes: U512) {
        let to = self.env().caller();
        if motes > self.deposits.get_or_default(&to) {
            self.env().revert(Error::TooMuch);
        }
        self.deposits.subtract(&to, motes);
        let sent = motes - self.fee.get_or_default();
        self.env().transfer_tokens(&to, &sent);
        self.env().emit_event(Withdrawn { to, motes: sent });
    }

    /// Deposits the attached motes in another vault.
    #[odra(payable)]
    pub fn pass_on(&mut self, vault: Address) {
        let motes = self.env().attached_value();
        VaultContractRef::new(self.env(), vault).with_tokens(motes).deposit();
    }

    pub fn balance(&self) -> U512 {
        self.env().self_balance()
    }

    pub fn deposit_of(&self, owner: Address) -> U512 {
        self.deposits.get_or_default(&owner)
    }
}
