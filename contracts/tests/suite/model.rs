//! Random sequences of calls by several accounts, against a plain model of the rules.
use std::collections::{BTreeMap, BTreeSet};

use odra::casper_types::U512;
use odra::prelude::*;
use proptest::prelude::*;
use wattfeed_contracts::attestation_registry::{Attestation, RevenueAttested};
use wattfeed_contracts::feed_registry::{Feed, FeedRegistered};

use crate::support::{on_casper, refused, wti_feed, FeedState, Snapshot, World, SOURCE_HASH, UNAUTHORIZED};

/// Ids that callers use; the last two are not valid ids.
const IDS: [&str; 5] = ["A", "A#1", "é", "", "a\nb"];

/// An account: the first party, alice or bob.
type Who = usize;

#[derive(Clone, Debug)]
enum Call {
    Wire(Who),
    OpenGate(Who),
    Admit(Who),
    Refuse(Who),
    Register(Who, usize, u8),
    Attest(Who, usize, u64),
    AttestMany(Who, Vec<(usize, u64)>),
    Wait(u16),
}

fn any_call() -> impl Strategy<Value = Call> {
    let who = || 0..3usize;
    let id = || prop_oneof![6 => 0..3usize, 1 => 3..5usize];
    prop_oneof![
        1 => who().prop_map(Call::Wire),
        1 => who().prop_map(Call::OpenGate),
        1 => who().prop_map(Call::Admit),
        1 => who().prop_map(Call::Refuse),
        8 => (who(), id(), any::<u8>()).prop_map(|(who, id, decimals)| Call::Register(who, id, decimals)),
        8 => (who(), id(), any::<u64>()).prop_map(|(who, id, amount)| Call::Attest(who, id, amount)),
        4 => (who(), prop::collection::vec((id(), any::<u64>()), 0..4))
            .prop_map(|(who, batch)| Call::AttestMany(who, batch)),
        1 => any::<u16>().prop_map(Call::Wait),
    ]
}

/// The rules, without a chain.
#[derive(Default)]
struct Model {
    now: u64,
    is_wired: bool,
    has_gate: bool,
    refused: BTreeSet<Who>,
    ids: Vec<usize>,
    feeds: BTreeMap<usize, (Who, u8)>,
    values: BTreeMap<usize, Vec<Attestation>>,
    registered: Vec<FeedRegistered>,
    attested: Vec<RevenueAttested>,
}

impl Model {
    fn apply(&mut self, call: &Call, accounts: &[Address]) -> OdraResult<()> {
        match call {
            Call::Wire(who) => self.is_wired |= allow(*who == 0)?,
            Call::OpenGate(who) => self.has_gate |= allow(*who == 0)?,
            Call::Admit(who) => drop(self.refused.remove(who)),
            Call::Refuse(who) => drop(self.refused.insert(*who)),
            Call::Register(who, id, decimals) => self.register(*who, *id, *decimals)?,
            Call::Attest(who, id, amount) => self.attest_many(*who, &[(*id, *amount)], accounts)?,
            Call::AttestMany(who, batch) => self.attest_many(*who, batch, accounts)?,
            Call::Wait(milliseconds) => self.now += u64::from(*milliseconds),
        }
        Ok(())
    }

    fn register(&mut self, who: Who, id: usize, decimals: u8) -> OdraResult<()> {
        match self.feeds.get(&id) {
            Some((claimant, _)) => allow(*claimant == who)?,
            None => allow(self.has_gate && !self.refused.contains(&who))?,
        };
        if IDS[id].is_empty() || IDS[id].contains('\n') {
            return refused(2);
        }
        if !self.feeds.contains_key(&id) {
            self.ids.push(id);
        }
        self.feeds.insert(id, (who, decimals));
        let Feed { unit, source, .. } = wti_feed();
        self.registered.push(FeedRegistered { feed_id: IDS[id].into(), decimals, unit, source });
        Ok(())
    }

    fn attest_many(&mut self, who: Who, batch: &[(usize, u64)], accounts: &[Address]) -> OdraResult<()> {
        let is_claimant = |(id, _): &(usize, u64)| self.feeds.get(id).is_some_and(|(claimant, _)| *claimant == who);
        allow(self.is_wired && batch.iter().all(is_claimant))?;
        if batch.is_empty() {
            return refused(2);
        }
        batch.iter().for_each(|(id, amount)| self.attest(*id, (*amount).into(), accounts[who]));
        Ok(())
    }

    fn attest(&mut self, id: usize, amount: U512, attester: Address) {
        let (period, timestamp, source_hash) = (20261116, self.now, String::from(SOURCE_HASH));
        let values = self.values.entry(id).or_default();
        let index = values.len() as u64;
        values.push(Attestation { period, amount, source_hash: source_hash.clone(), attester, timestamp });
        let asset_id = IDS[id].into();
        self.attested.push(RevenueAttested { asset_id, period, amount, source_hash, index, timestamp });
    }

    fn snapshot(self, accounts: &[Address]) -> Snapshot {
        let ids = self.ids.iter().map(|id| Some(String::from(IDS[*id]))).chain([None]);
        let feeds = (0..IDS.len()).map(|id| {
            let (claimant, decimals) = self.feeds.get(&id).copied().unzip();
            let values = self.values.get(&id).cloned().unwrap_or_default();
            FeedState {
                feed: decimals.map(|decimals| Feed { decimals, ..wti_feed() }),
                attester: claimant.map(|who| accounts[who]),
                latest: values.last().cloned(),
                history: values.into_iter().map(Some).chain([None]).collect(),
            }
        });
        let (ids, feeds) = (ids.collect(), feeds.collect());
        let total = self.attested.len() as u64;
        Snapshot { ids, feeds, total, registered: self.registered, attested: self.attested }
    }
}

impl World {
    fn apply(&mut self, call: &Call, accounts: &[Address]) -> OdraResult<()> {
        match call {
            Call::Wire(who) => {
                self.env.set_caller(accounts[*who]);
                self.attestations.try_set_feed_registry(self.feeds.address())
            }
            Call::OpenGate(who) => {
                self.env.set_caller(accounts[*who]);
                self.feeds.try_set_eligibility_gate(self.gate.address())
            }
            Call::Admit(who) => self.gate.try_admit(accounts[*who]),
            Call::Refuse(who) => self.gate.try_refuse(accounts[*who]),
            Call::Register(who, id, decimals) => {
                self.register_as(accounts[*who], IDS[*id], Feed { decimals: *decimals, ..wti_feed() })
            }
            Call::Attest(who, id, amount) => self.attest(accounts[*who], IDS[*id], *amount),
            Call::AttestMany(who, batch) => {
                let batch: Vec<_> = batch.iter().map(|(id, amount)| (IDS[*id], *amount)).collect();
                self.attest_many(accounts[*who], &batch)
            }
            Call::Wait(milliseconds) => {
                self.env.advance_block_time((*milliseconds).into());
                Ok(())
            }
        }
    }
}

fn allow(is_allowed: bool) -> OdraResult<bool> {
    if is_allowed {
        Ok(true)
    } else {
        refused(UNAUTHORIZED)
    }
}

/// A sequence takes seconds on the engine. `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return config;
    }
    ProptestConfig { cases: if on_casper() { 4 } else { 24 }, ..config }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_registries_do_as_the_model(calls in prop::collection::vec(any_call(), 1..60)) {
        let mut world = World::unwired();
        let accounts = [world.owner, world.alice, world.bob];
        let mut model = Model { now: world.env.block_time(), ..Model::default() };
        // Without this, every other sequence would hardly change anything.
        if calls.len() % 2 == 0 {
            for call in [Call::Wire(0), Call::OpenGate(0)] {
                prop_assert_eq!(world.apply(&call, &accounts), model.apply(&call, &accounts));
            }
        }
        for call in &calls {
            prop_assert_eq!(world.apply(call, &accounts), model.apply(call, &accounts), "{:?}", call);
        }
        prop_assert_eq!(world.snapshot(&IDS), model.snapshot(&accounts));
    }
}
