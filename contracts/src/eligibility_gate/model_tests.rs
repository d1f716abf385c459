//! Random sequences of calls by several accounts, against a plain model of the rules.
use odra::host::HostEnv;
use proptest::prelude::*;
use std::collections::BTreeSet;

use super::tests::{claim_of, is_casper, order, refused, Claim, Setup};
use super::*;

/// An account: the owner, two accounts with proofs, and one more.
type Who = usize;
const ACCOUNTS: usize = 4;

/// An index of a root that callers use; see `root`.
type Root = usize;
const GROUP: Root = 0;
const ROOTS: Root = 24;

#[derive(Clone, Debug)]
enum Call {
    SetRoot(Who, Root),
    RemoveRoot(Who, Root),
    Revoke(Who, Who),
    /// The caller, the identity of the proof, the account that it was made for, and the claimed root.
    Claim(Who, usize, Who, Root),
    /// A proof without its last byte.
    ClaimCut(Who, usize, Who),
}

fn any_call() -> impl Strategy<Value = Call> {
    let owner = || prop_oneof![4 => Just(0), 1 => 0..ACCOUNTS];
    let any_root = || prop_oneof![1 => Just(GROUP), 3 => 0..ROOTS];
    let claimed = || prop_oneof![7 => Just(GROUP), 1 => 0..ROOTS];
    // Half of the proofs are submitted by the account that they were made for.
    let claim = (0..2usize, 1..3usize, prop_oneof![1 => Just(None), 1 => (0..ACCOUNTS).prop_map(Some)]);
    prop_oneof![
        6 => (owner(), any_root()).prop_map(|(who, root)| Call::SetRoot(who, root)),
        1 => (owner(), any_root()).prop_map(|(who, root)| Call::RemoveRoot(who, root)),
        1 => (owner(), 0..ACCOUNTS).prop_map(|(who, account)| Call::Revoke(who, account)),
        3 => (claim, claimed(), 0..8).prop_map(|((identity, account, who), root, cut)| {
            let who = who.unwrap_or(account);
            match cut {
                0 => Call::ClaimCut(who, identity, account),
                _ => Call::Claim(who, identity, account, root),
            }
        }),
    ]
}

/// The fixtures' root, two numbers that are not roots, and small ones.
fn root(number: Root) -> U256 {
    match number {
        GROUP => claim_of(0, 1).root,
        1 => U256::zero(),
        2 => order(),
        _ => number.into(),
    }
}

#[derive(Debug, PartialEq)]
enum Event {
    Granted(EligibilityGranted),
    Revoked(EligibilityRevoked),
}

/// All readable state of a gate.
#[derive(Debug, PartialEq)]
struct Snapshot {
    roots: Vec<U256>,
    eligible: Vec<bool>,
    granted: u64,
    events: Vec<Event>,
}

/// The rules, without a chain.
#[derive(Default)]
struct Model {
    roots: Vec<Root>,
    used: BTreeSet<usize>,
    eligible: BTreeSet<Who>,
    granted: u64,
    events: Vec<Event>,
}

impl Model {
    fn apply(&mut self, call: &Call, env: &HostEnv) -> Result<(), Error> {
        match call {
            Call::SetRoot(who, root) => self.set_root(*who, *root),
            Call::RemoveRoot(who, root) => self.remove_root(*who, *root),
            Call::Revoke(who, account) => self.revoke(*who, *account, env),
            Call::Claim(who, identity, account, root) => {
                self.assert_claimable(*identity, *root)?;
                check(who == account && *root == GROUP, Error::InvalidProof)?;
                self.grant(*who, *identity, env);
                Ok(())
            }
            Call::ClaimCut(_, identity, _) => {
                self.assert_claimable(*identity, GROUP)?;
                Err(Error::MalformedProof)
            }
        }
    }

    fn set_root(&mut self, who: Who, root: Root) -> Result<(), Error> {
        check(who == 0, Error::Unauthorized)?;
        check(root != 1 && root != 2, Error::MalformedRoot)?;
        self.roots.retain(|known| *known != root);
        self.roots.push(root);
        let older = self.roots.len().saturating_sub(16);
        self.roots.drain(..older);
        Ok(())
    }

    fn remove_root(&mut self, who: Who, root: Root) -> Result<(), Error> {
        check(who == 0, Error::Unauthorized)?;
        check(self.roots.contains(&root), Error::UnknownRoot)?;
        self.roots.retain(|known| *known != root);
        Ok(())
    }

    fn revoke(&mut self, who: Who, account: Who, env: &HostEnv) -> Result<(), Error> {
        check(who == 0, Error::Unauthorized)?;
        if self.eligible.remove(&account) {
            self.events.push(Event::Revoked(EligibilityRevoked { who: env.get_account(account) }));
        }
        Ok(())
    }

    fn assert_claimable(&self, identity: usize, root: Root) -> Result<(), Error> {
        check(self.roots.contains(&root), Error::UnknownRoot)?;
        check(!self.used.contains(&identity), Error::NullifierUsed)
    }

    fn grant(&mut self, who: Who, identity: usize, env: &HostEnv) {
        self.used.insert(identity);
        self.eligible.insert(who);
        self.granted += 1;
        let nullifier = claim_of(identity, 1).nullifier;
        self.events.push(Event::Granted(EligibilityGranted { who: env.get_account(who), nullifier }));
    }

    fn snapshot(self) -> Snapshot {
        Snapshot {
            roots: self.roots.into_iter().map(root).collect(),
            eligible: (0..ACCOUNTS).map(|who| self.eligible.contains(&who)).collect(),
            granted: self.granted,
            events: self.events,
        }
    }
}

impl Setup {
    fn apply(&mut self, call: &Call) -> Result<(), OdraError> {
        match call {
            Call::SetRoot(who, number) => {
                self.act_as(*who);
                self.gate.try_set_root(root(*number))
            }
            Call::RemoveRoot(who, number) => {
                self.act_as(*who);
                self.gate.try_remove_root(root(*number))
            }
            Call::Revoke(who, account) => {
                self.act_as(*who);
                self.gate.try_revoke(self.account(*account))
            }
            Call::Claim(who, identity, account, number) => {
                self.claim(*who, &Claim { root: root(*number), ..claim_of(*identity, *account) })
            }
            Call::ClaimCut(who, identity, account) => {
                let mut claim = claim_of(*identity, *account);
                claim.proof.pop();
                self.claim(*who, &claim)
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            roots: self.gate.get_roots(),
            eligible: (0..ACCOUNTS).map(|who| self.gate.is_eligible(self.account(who))).collect(),
            granted: self.gate.granted_count(),
            events: (0..self.env.events_count(&self.gate) as i32).map(|index| self.event(index)).collect(),
        }
    }

    fn event(&self, index: i32) -> Event {
        let granted = self.env.get_event(&self.gate, index).map(Event::Granted);
        granted.unwrap_or_else(|_| Event::Revoked(self.env.get_event(&self.gate, index).unwrap()))
    }
}

fn check(holds: bool, error: Error) -> Result<(), Error> {
    if holds {
        Ok(())
    } else {
        Err(error)
    }
}

/// A claim takes a second on the engine. `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return config;
    }
    ProptestConfig { cases: if is_casper() { 2 } else { 12 }, ..config }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_gate_does_as_the_model(calls in prop::collection::vec(any_call(), 1..80)) {
        let mut it = Setup::new();
        let mut model = Model { roots: vec![GROUP], ..Model::default() };
        for call in &calls {
            let expected = model.apply(call, &it.env).or_else(refused);
            prop_assert_eq!(it.apply(call), expected, "{:?}", call);
        }
        prop_assert_eq!(it.snapshot(), model.snapshot());
    }
}
