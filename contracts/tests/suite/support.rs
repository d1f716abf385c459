//! An installed pair of registries, and helpers that call them.
use odra::args::Maybe;
use odra::casper_types::{RuntimeArgs, U512};
use odra::host::{Deployer, HostEnv, HostRef, InstallConfig, NoArgs};
use odra::prelude::*;
use odra::CallDef;
use wattfeed_contracts::attestation_registry::{
    Attestation, AttestationRegistry, AttestationRegistryHostRef, AttestationRegistryInitArgs,
    AttestationRegistryUpgradeArgs, NewAttestation, RevenueAttested,
};
use wattfeed_contracts::feed_registry::{
    Feed, FeedRegistered, FeedRegistry, FeedRegistryHostRef, FeedRegistryInitArgs, FeedRegistryUpgradeArgs,
};
use wattfeed_stubs::open_gate::{OpenGate, OpenGateHostRef};

pub const WTI: &str = "EIA.PET.PRICE.WTI.DAILY";
pub const BRENT: &str = "EIA.PET.PRICE.BRENT.DAILY";
pub const SOURCE_HASH: &str = "d40bab3b102d38fc6074ccb9317bee27";

/// The error for unauthorized callers, of both registries.
pub const UNAUTHORIZED: u16 = 1;

/// Odra's text for an error that the engine reports by number; it equals any other.
const ANY_TEXT: &str = "CasperExecError";

/// Whether the tests run on the real execution engine.
pub fn on_casper() -> bool {
    std::env::var("ODRA_BACKEND").is_ok_and(|backend| backend == "casper")
}

/// Both registries and a gate that accepts every account, installed by the first party.
pub struct World {
    pub env: HostEnv,
    pub gate: OpenGateHostRef,
    pub feeds: FeedRegistryHostRef,
    pub attestations: AttestationRegistryHostRef,
    /// The first party: owner and first-party attester.
    pub owner: Address,
    pub alice: Address,
    pub bob: Address,
}

/// All readable state of some feeds.
#[derive(Debug, PartialEq)]
pub struct Snapshot {
    pub ids: Vec<Option<String>>,
    pub feeds: Vec<FeedState>,
    pub total: u64,
    pub registered: Vec<FeedRegistered>,
    pub attested: Vec<RevenueAttested>,
}

/// All readable state of a feed.
#[derive(Debug, PartialEq)]
pub struct FeedState {
    pub feed: Option<Feed>,
    pub attester: Option<Address>,
    pub latest: Option<Attestation>,
    /// Includes one index past the end.
    pub history: Vec<Option<Attestation>>,
}

impl World {
    /// Installs both registries without wiring them.
    pub fn unwired() -> Self {
        let env = odra_test::env();
        let owner = env.get_account(0);
        Self {
            gate: OpenGate::deploy(&env, NoArgs),
            feeds: install_feeds(&env, owner),
            attestations: install_attestations(&env, owner),
            owner,
            alice: env.get_account(1),
            bob: env.get_account(2),
            env,
        }
    }

    pub fn wired() -> Self {
        let mut world = Self::unwired();
        world.feeds.set_eligibility_gate(world.gate.address());
        world.attestations.set_feed_registry(world.feeds.address());
        world
    }

    /// Wires them, with one feed of alice's.
    pub fn with_feed(id: &str) -> Self {
        let mut world = Self::wired();
        assert_eq!(world.register(world.alice, id), Ok(()));
        world
    }

    pub fn register(&mut self, caller: Address, id: &str) -> OdraResult<()> {
        self.register_as(caller, id, wti_feed())
    }

    pub fn register_as(&mut self, caller: Address, id: &str, feed: Feed) -> OdraResult<()> {
        self.env.set_caller(caller);
        let Feed { decimals, unit, title, source, route, frequency, description } = feed;
        self.feeds.try_register_feed(id.into(), decimals, unit, title, source, route, frequency, description)
    }

    pub fn attest(&mut self, caller: Address, id: &str, amount: u64) -> OdraResult<()> {
        self.env.set_caller(caller);
        self.attestations.try_attest(id.into(), 20261116, amount.into(), SOURCE_HASH.into())
    }

    pub fn attest_many(&mut self, caller: Address, attestations: &[(&str, u64)]) -> OdraResult<()> {
        self.env.set_caller(caller);
        let attestations = attestations.iter().map(|(id, amount)| new_attestation(id, *amount));
        self.attestations.try_attest_many(attestations.collect())
    }

    /// Reads all state of these feeds, and the events of all.
    pub fn snapshot(&self, ids: &[&str]) -> Snapshot {
        Snapshot {
            ids: (0..=self.feeds.feed_count()).map(|index| self.feeds.get_feed_at(index)).collect(),
            feeds: ids.iter().map(|id| self.feed_state(id)).collect(),
            total: self.attestations.total_attestations(),
            registered: events(&self.env, &self.feeds),
            attested: events(&self.env, &self.attestations),
        }
    }

    fn feed_state(&self, id: &str) -> FeedState {
        let count = self.attestations.get_count(id.into());
        FeedState {
            feed: self.feeds.get_feed(id.into()),
            attester: self.feeds.get_attester(id.into()),
            latest: self.attestations.get_latest(id.into()),
            history: (0..=count).map(|index| self.attestations.get_at(id.into(), index)).collect(),
        }
    }
}

/// Installs a FeedRegistry that can be upgraded.
pub fn install_feeds(env: &HostEnv, owner: Address) -> FeedRegistryHostRef {
    let config = InstallConfig::upgradable::<FeedRegistry>();
    FeedRegistry::deploy_with_cfg(env, FeedRegistryInitArgs { owner }, config)
}

/// Installs an AttestationRegistry that can be upgraded.
pub fn install_attestations(env: &HostEnv, attester: Address) -> AttestationRegistryHostRef {
    let config = InstallConfig::upgradable::<AttestationRegistry>();
    AttestationRegistry::deploy_with_cfg(env, AttestationRegistryInitArgs { attester }, config)
}

/// An upgrade that changes no field.
pub fn keep_gate() -> FeedRegistryUpgradeArgs {
    FeedRegistryUpgradeArgs { eligibility_gate: Maybe::None }
}

/// An upgrade that changes no field.
pub fn keep_feed_registry() -> AttestationRegistryUpgradeArgs {
    AttestationRegistryUpgradeArgs { feed_registry: Maybe::None }
}

/// Returns the seed of the AttestationRegistry's dictionary; none off chain.
///
/// The registry has no entry point for it. A FeedRegistry has one, and an upgrade keeps the dictionary. So the registry becomes
/// a FeedRegistry and itself again.
pub fn seed_of(world: &World) -> Option<[u8; 32]> {
    if !on_casper() {
        return None;
    }
    world.env.set_caller(world.owner);
    let address = world.attestations.address();
    let seed = FeedRegistry::try_upgrade(&world.env, address, keep_gate()).expect("an upgrade").state_seed();
    AttestationRegistry::try_upgrade(&world.env, address, keep_feed_registry()).expect("an upgrade");
    seed
}

/// Calls an entry point that a host reference has no method for.
pub fn call(env: &HostEnv, contract: Address, entry_point: &str, args: RuntimeArgs) -> OdraResult<()> {
    env.raw_call_contract(contract, CallDef::new(entry_point, true, args), false).map(drop)
}

/// Returns the error with this number, with any text.
pub fn refused<T>(code: u16) -> OdraResult<T> {
    Err(OdraError::user(code, ANY_TEXT))
}

/// The recorded values of West Texas Intermediate.
pub fn wti_feed() -> Feed {
    Feed {
        decimals: 6,
        unit: "$/bbl".into(),
        title: "PET PRICE WTI DAILY".into(),
        source: "EIA".into(),
        route: "petroleum/pri/spt".into(),
        frequency: "daily".into(),
        description: "Series series=RWTC of petroleum/pri/spt, column value".into(),
    }
}

pub fn new_attestation(id: &str, amount: u64) -> NewAttestation {
    NewAttestation {
        asset_id: id.into(),
        period: 20261116,
        amount: U512::from(amount),
        source_hash: SOURCE_HASH.into(),
    }
}

fn events<C: HostRef, E>(env: &HostEnv, contract: &C) -> Vec<E>
where
    E: odra::casper_types::bytesrepr::FromBytes + odra::casper_event_standard::EventInstance + 'static,
{
    let count = env.events_count(contract);
    (0..count).map(|index| env.get_event(contract, index as i32).expect("an event of this contract")).collect()
}
