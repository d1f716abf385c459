//! On OdraVM, and with `ODRA_BACKEND=casper` on the real execution engine with the built wasm.
use odra::casper_types::{runtime_args, RuntimeArgs};
use odra::host::{Deployer, HostEnv, InstallConfig, NoArgs};
use odra::{CallDef, DeployReport};
use std::vec;
use wattfeed_stubs::relay::Relay;

use super::*;
use crate::feed_registry::{self, FeedRegistry, FeedRegistryHostRef, FeedRegistryInitArgs};

/// 1 CSPR.
const CSPR: u64 = 1_000_000_000;

pub(super) fn is_casper() -> bool {
    std::env::var("ODRA_BACKEND").is_ok_and(|backend| backend == "casper")
}

/// The statement proven by one line of `fixtures/eligibility/proofs.jsonl`, for the gate that is deployed first.
#[derive(Clone)]
pub(super) struct Claim {
    pub root: U256,
    pub nullifier: U256,
    pub proof: Vec<u8>,
}

/// Returns the proof of an identity for an account, both by number.
pub(super) fn claim_of(identity: usize, account: usize) -> Claim {
    let backend = if is_casper() { "casper" } else { "odra" };
    claim_at(backend, identity, account)
}

fn claim_at(backend: &str, identity: usize, account: usize) -> Claim {
    let start = format!(r#"{{"backend":"{backend}","identity":{identity},"account":{account},"#);
    let lines = include_str!("../../../fixtures/eligibility/proofs.jsonl");
    let line = lines.lines().find(|line| line.starts_with(&start)).unwrap();
    let text = |name: &str| line.split(&format!(r#""{name}":""#)).nth(1).unwrap().split('"').next().unwrap();
    let hex = text("proof");
    let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
    Claim {
        root: U256::from_dec_str(text("merkle_root")).unwrap(),
        nullifier: U256::from_dec_str(text("nullifier")).unwrap(),
        proof: (0..hex.len() / 2).map(byte).collect(),
    }
}

pub(super) struct Setup {
    pub env: HostEnv,
    pub gate: EligibilityGateHostRef,
}

impl Setup {
    /// Deploys a gate of account 0, with the root of the fixtures.
    pub fn new() -> Self {
        let env = odra_test::env();
        let owner = env.get_account(0);
        let config = InstallConfig::upgradable::<EligibilityGate>();
        let mut gate = EligibilityGate::deploy_with_cfg(&env, EligibilityGateInitArgs { owner }, config);
        gate.set_root(claim_of(0, 1).root);
        Setup { env, gate }
    }

    pub fn account(&self, number: usize) -> Address {
        self.env.get_account(number)
    }

    pub fn act_as(&self, number: usize) {
        self.env.set_caller(self.account(number));
    }

    pub fn claim(&mut self, number: usize, claim: &Claim) -> Result<(), OdraError> {
        self.act_as(number);
        self.gate.try_claim(claim.root, claim.nullifier, claim.proof.clone().into())
    }

    /// Calls an entry point that the host reference has no method for.
    fn call(&self, entry_point: &str, args: RuntimeArgs) -> Result<(), OdraError> {
        self.env.raw_call_contract(self.gate.address(), CallDef::new(entry_point, true, args), false).map(drop)
    }

    fn used(&self) -> u64 {
        self.env.last_call_result(self.gate.address()).callee_contract_gas_used()
    }

    /// Nobody is eligible, nothing was counted, and the valid proof remains valid.
    fn assert_untouched(&mut self) {
        assert!((0..4).all(|number| !self.gate.is_eligible(self.account(number))));
        assert_eq!(self.gate.granted_count(), 0);
        assert_eq!(self.env.events_count(&self.gate), 0);
        assert_eq!(self.claim(1, &claim_of(0, 1)), Ok(()));
    }
}

pub(super) fn refused(error: Error) -> Result<(), OdraError> {
    Err(error.into())
}

pub(super) fn order() -> U256 {
    U256::from_dec_str("21888242871839275222246405745257275088548364400416034343698204186575808495617").unwrap()
}

fn base_modulus() -> U256 {
    U256::from_dec_str("21888242871839275222246405745257275088696311157297823662689037894645226208583").unwrap()
}

fn coordinate(proof: &[u8], number: usize) -> U256 {
    U256::from_big_endian(&proof[32 * number..32 * number + 32])
}

fn set_coordinate(proof: &mut [u8], number: usize, value: U256) {
    value.to_big_endian(&mut proof[32 * number..32 * number + 32]);
}

#[test]
fn claim_makes_the_caller_eligible() {
    let mut it = Setup::new();
    assert!(!it.gate.is_eligible(it.account(1)));
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    assert!(it.gate.is_eligible(it.account(1)));
    assert!(!it.gate.is_eligible(it.account(0)));
    assert!(!it.gate.is_eligible(it.account(2)));
    assert!(!it.gate.is_eligible(it.gate.address()));
    assert_eq!(it.gate.granted_count(), 1);
    let granted = EligibilityGranted { who: it.account(1), nullifier: claim_of(0, 1).nullifier };
    assert!(it.env.emitted_event(&it.gate, granted));
}

#[test]
fn claims_of_two_identities_count_both() {
    let mut it = Setup::new();
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    assert_eq!(it.claim(2, &claim_of(1, 2)), Ok(()));
    assert!(it.gate.is_eligible(it.account(1)) && it.gate.is_eligible(it.account(2)));
    assert_eq!(it.gate.granted_count(), 2);
}

#[test]
fn error_a_proof_counts_once() {
    let mut it = Setup::new();
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    assert_eq!(it.claim(1, &claim_of(0, 1)), refused(Error::NullifierUsed));
    assert_eq!(it.gate.granted_count(), 1);
}

#[test]
fn error_an_identity_vouches_for_one_account() {
    let mut it = Setup::new();
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    assert_eq!(it.claim(2, &claim_of(0, 2)), refused(Error::NullifierUsed));
    assert!(!it.gate.is_eligible(it.account(2)));
}

#[test]
fn error_a_copied_proof_is_worthless_to_others() {
    let mut it = Setup::new();
    assert_eq!(it.claim(2, &claim_of(0, 1)), refused(Error::InvalidProof));
    assert_eq!(it.claim(0, &claim_of(0, 1)), refused(Error::InvalidProof));
    it.assert_untouched();
}

#[test]
fn error_a_proof_for_another_gate() {
    let mut it = Setup::new();
    let elsewhere = claim_at(if is_casper() { "odra" } else { "casper" }, 0, 1);
    assert_eq!(it.claim(1, &elsewhere), refused(Error::InvalidProof));
    it.assert_untouched();
}

#[test]
fn error_a_proof_at_a_second_gate() {
    let mut it = Setup::new();
    let owner = it.account(0);
    let config = InstallConfig::upgradable::<EligibilityGate>();
    it.act_as(0);
    let mut second = EligibilityGate::deploy_with_cfg(&it.env, EligibilityGateInitArgs { owner }, config);
    let claim = claim_of(0, 1);
    second.set_root(claim.root);
    it.act_as(1);
    let outcome = second.try_claim(claim.root, claim.nullifier, claim.proof.into());
    assert_eq!(outcome, refused(Error::InvalidProof));
    it.assert_untouched();
}

#[test]
fn error_a_proof_with_another_nullifier() {
    let mut it = Setup::new();
    let claim = claim_of(0, 1);
    for nullifier in [claim.nullifier + 1, claim_of(1, 1).nullifier, U256::zero()] {
        assert_eq!(it.claim(1, &Claim { nullifier, ..claim.clone() }), refused(Error::InvalidProof));
    }
    it.assert_untouched();
}

#[test]
fn error_a_proof_with_another_root() {
    let mut it = Setup::new();
    let other = U256::from(7);
    it.gate.set_root(other);
    assert_eq!(it.claim(1, &Claim { root: other, ..claim_of(0, 1) }), refused(Error::InvalidProof));
    it.assert_untouched();
}

#[test]
fn error_a_root_that_was_not_set() {
    let mut it = Setup::new();
    let claim = claim_of(0, 1);
    for root in [claim.root + 1, claim.root + order(), U256::zero(), U256::MAX] {
        assert_eq!(it.claim(1, &Claim { root, ..claim.clone() }), refused(Error::UnknownRoot));
    }
    it.assert_untouched();
}

#[test]
fn error_a_nullifier_written_another_way() {
    let mut it = Setup::new();
    let claim = claim_of(0, 1);
    for nullifier in [claim.nullifier + order(), claim.nullifier + order() * 2, order(), U256::MAX] {
        assert_eq!(it.claim(1, &Claim { nullifier, ..claim.clone() }), refused(Error::MalformedProof));
    }
    assert_eq!(it.claim(1, &claim), Ok(()));
    let again = Claim { nullifier: claim.nullifier + order(), ..claim };
    assert_eq!(it.claim(1, &again), refused(Error::MalformedProof));
    assert_eq!(it.gate.granted_count(), 1);
}

#[test]
fn error_a_coordinate_written_another_way() {
    let mut it = Setup::new();
    for number in 0..8 {
        let mut claim = claim_of(0, 1);
        let value = coordinate(&claim.proof, number);
        set_coordinate(&mut claim.proof, number, value + base_modulus());
        assert_eq!(it.claim(1, &claim), refused(Error::MalformedProof), "coordinate {number}");
    }
    it.assert_untouched();
}

#[test]
fn error_a_point_that_is_not_on_its_curve() {
    let mut it = Setup::new();
    for number in 0..8 {
        let mut claim = claim_of(0, 1);
        let value = coordinate(&claim.proof, number);
        let next = if value + 1 == base_modulus() { U256::zero() } else { value + 1 };
        set_coordinate(&mut claim.proof, number, next);
        assert_eq!(it.claim(1, &claim), refused(Error::MalformedProof), "coordinate {number}");
    }
    it.assert_untouched();
}

#[test]
fn error_infinity() {
    let mut it = Setup::new();
    for range in [0..64, 64..192, 192..256, 0..256] {
        let mut claim = claim_of(0, 1);
        claim.proof[range].fill(0);
        assert_eq!(it.claim(1, &claim), refused(Error::MalformedProof));
    }
    it.assert_untouched();
}

#[test]
fn error_a_point_outside_its_subgroup() {
    let mut it = Setup::new();
    for point in semaphore::tests::points_outside_the_subgroup() {
        let mut claim = claim_of(0, 1);
        claim.proof[64..192].copy_from_slice(&point);
        assert_eq!(it.claim(1, &claim), refused(Error::MalformedProof));
    }
    it.assert_untouched();
}

#[test]
fn error_points_that_are_somebody_elses() {
    let mut it = Setup::new();
    let other = claim_of(0, 2).proof;
    for range in [0..64, 64..192, 192..256] {
        let mut claim = claim_of(0, 1);
        claim.proof[range.clone()].copy_from_slice(&other[range]);
        assert_eq!(it.claim(1, &claim), refused(Error::InvalidProof));
    }
    it.assert_untouched();
}

#[test]
fn error_a_proof_of_another_length() {
    let mut it = Setup::new();
    for length in [0, 1, 255, 257, 288, 512] {
        let mut claim = claim_of(0, 1);
        claim.proof.resize(length, 0);
        assert_eq!(it.claim(1, &claim), refused(Error::MalformedProof), "{length} bytes");
    }
    it.assert_untouched();
}

#[test]
fn a_proof_written_with_other_points_is_as_good_but_counts_once() {
    let mut it = Setup::new();
    let mut claim = claim_of(0, 1);
    for number in [1, 4, 5] {
        let value = coordinate(&claim.proof, number);
        set_coordinate(&mut claim.proof, number, base_modulus() - value);
    }
    assert_eq!(it.claim(2, &claim), refused(Error::InvalidProof));
    assert_eq!(it.claim(1, &claim), Ok(()));
    assert_eq!(it.claim(1, &claim_of(0, 1)), refused(Error::NullifierUsed));
}

#[test]
fn error_a_contract_claims() {
    let mut it = Setup::new();
    let relay = Relay::deploy(&it.env, NoArgs);
    let claim = claim_of(0, 1);
    it.act_as(1);
    let outcome = relay.try_claim(it.gate.address(), claim.root, claim.nullifier, claim.proof.into());
    assert_eq!(outcome, refused(Error::NotAnAccount));
    it.assert_untouched();
}

#[test]
fn set_root_keeps_the_newest_sixteen() {
    let mut it = Setup::new();
    let first = claim_of(0, 1).root;
    for root in 1..16u64 {
        it.gate.set_root(root.into());
    }
    assert_eq!(it.gate.get_roots().len(), MOST_ROOTS);
    assert_eq!(it.gate.get_roots()[0], first);
    it.gate.set_root(16.into());
    assert_eq!(it.gate.get_roots(), (1..17u64).map(U256::from).collect::<Vec<_>>());
    assert_eq!(it.claim(1, &claim_of(0, 1)), refused(Error::UnknownRoot));
    it.act_as(0);
    it.gate.set_root(first);
    assert_eq!(it.gate.get_roots().last(), Some(&first));
    it.assert_untouched();
}

#[test]
fn claim_takes_the_oldest_of_sixteen_roots() {
    let mut it = Setup::new();
    for root in 1..16u64 {
        it.gate.set_root(root.into());
    }
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
}

#[test]
fn set_root_makes_a_known_root_the_newest() {
    let mut it = Setup::new();
    let first = claim_of(0, 1).root;
    it.gate.set_root(1.into());
    it.gate.set_root(first);
    assert_eq!(it.gate.get_roots(), vec![1.into(), first]);
    it.gate.set_root(first);
    assert_eq!(it.gate.get_roots(), vec![1.into(), first]);
}

#[test]
fn error_a_root_that_is_no_root() {
    let mut it = Setup::new();
    for root in [U256::zero(), order(), order() + 1, U256::MAX] {
        assert_eq!(it.gate.try_set_root(root), refused(Error::MalformedRoot));
    }
    assert_eq!(it.gate.try_set_root(order() - 1), Ok(()));
    assert_eq!(it.gate.get_roots(), vec![claim_of(0, 1).root, order() - 1]);
}

#[test]
fn remove_root_takes_it_back() {
    let mut it = Setup::new();
    let root = claim_of(0, 1).root;
    it.gate.set_root(1.into());
    it.gate.remove_root(root);
    assert_eq!(it.gate.get_roots(), vec![U256::one()]);
    assert_eq!(it.claim(1, &claim_of(0, 1)), refused(Error::UnknownRoot));
    it.act_as(0);
    assert_eq!(it.gate.try_remove_root(root), refused(Error::UnknownRoot));
    it.gate.remove_root(1.into());
    assert_eq!(it.gate.get_roots(), vec![]);
    it.gate.set_root(root);
    it.assert_untouched();
}

#[test]
fn revoke_takes_eligibility_back_and_keeps_the_nullifier() {
    let mut it = Setup::new();
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    it.act_as(0);
    it.gate.revoke(it.account(1));
    assert!(!it.gate.is_eligible(it.account(1)));
    assert!(it.env.emitted_event(&it.gate, EligibilityRevoked { who: it.account(1) }));
    assert_eq!(it.gate.granted_count(), 1);
    assert_eq!(it.claim(1, &claim_of(0, 1)), refused(Error::NullifierUsed));
    assert_eq!(it.claim(1, &claim_of(1, 1)), Ok(()));
    assert!(it.gate.is_eligible(it.account(1)));
    assert_eq!(it.gate.granted_count(), 2);
}

#[test]
fn revoke_of_an_account_that_is_not_eligible_does_nothing() {
    let mut it = Setup::new();
    assert_eq!(it.gate.try_revoke(it.account(1)), Ok(()));
    it.assert_untouched();
}

#[test]
fn error_calls_of_the_owner_by_others() {
    let mut it = Setup::new();
    let root = claim_of(0, 1).root;
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    for number in [1, 2] {
        it.act_as(number);
        assert_eq!(it.gate.try_set_root(1.into()), refused(Error::Unauthorized));
        assert_eq!(it.gate.try_set_root(U256::zero()), refused(Error::Unauthorized));
        assert_eq!(it.gate.try_remove_root(root), refused(Error::Unauthorized));
        assert_eq!(it.gate.try_remove_root(1.into()), refused(Error::Unauthorized));
        assert_eq!(it.gate.try_revoke(it.account(1)), refused(Error::Unauthorized));
    }
    assert_eq!(it.gate.get_roots(), vec![root]);
    assert!(it.gate.is_eligible(it.account(1)));
}

#[test]
fn the_owner_is_who_was_named_and_not_who_installed() {
    let env = odra_test::env();
    let owner = env.get_account(1);
    let config = InstallConfig::upgradable::<EligibilityGate>();
    let mut gate = EligibilityGate::deploy_with_cfg(&env, EligibilityGateInitArgs { owner }, config);
    assert_eq!(gate.try_set_root(1.into()), refused(Error::Unauthorized));
    env.set_caller(owner);
    assert_eq!(gate.try_set_root(1.into()), Ok(()));
}

#[test]
fn error_init_again() {
    let it = Setup::new();
    for number in [0, 1] {
        it.act_as(number);
        assert!(it.call("init", runtime_args! { "owner" => it.account(1) }).is_err());
    }
    it.act_as(0);
    assert_eq!(it.gate.get_roots(), vec![claim_of(0, 1).root]);
}

/// OdraVM does not know who may upgrade a package, or who may call `upgrade`.
#[test]
fn error_an_upgrade_by_others() {
    if !is_casper() {
        return;
    }
    let mut it = Setup::new();
    it.act_as(1);
    assert!(EligibilityGate::try_upgrade(&it.env, it.gate.address(), NoArgs).is_err());
    for number in [0, 1] {
        it.act_as(number);
        assert!(it.call("upgrade", RuntimeArgs::new()).is_err());
    }
    it.assert_untouched();
}

fn register(it: &Setup, feeds: &mut FeedRegistryHostRef, number: usize, id: &str) -> Result<(), OdraError> {
    it.act_as(number);
    let text = String::new;
    feeds.try_register_feed(id.into(), 0, text(), text(), text(), text(), text(), text())
}

#[test]
fn a_claim_opens_the_feed_registry_until_it_is_revoked() {
    let mut it = Setup::new();
    let mut feeds = FeedRegistry::deploy(&it.env, FeedRegistryInitArgs { owner: it.account(0) });
    feeds.set_eligibility_gate(it.gate.address());
    let unauthorized = Err(feed_registry::Error::Unauthorized.into());
    assert_eq!(register(&it, &mut feeds, 1, "first"), unauthorized);
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    assert_eq!(register(&it, &mut feeds, 1, "first"), Ok(()));
    for number in [0, 2] {
        assert_eq!(register(&it, &mut feeds, number, "second"), unauthorized);
    }
    it.act_as(0);
    it.gate.revoke(it.account(1));
    assert_eq!(register(&it, &mut feeds, 1, "second"), unauthorized);
    assert_eq!(register(&it, &mut feeds, 1, "first"), Ok(()));
    assert_eq!((feeds.feed_count(), feeds.get_attester("first".into())), (1, Some(it.account(1))));
}

#[test]
fn upgrade_keeps_everything() {
    let mut it = Setup::new();
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    it.act_as(0);
    let address = it.gate.address();
    it.gate = EligibilityGate::try_upgrade(&it.env, address, NoArgs).unwrap();
    assert!(it.gate.is_eligible(it.account(1)));
    assert_eq!(it.gate.get_roots(), vec![claim_of(0, 1).root]);
    assert_eq!(it.gate.granted_count(), 1);
    assert_eq!(it.claim(2, &claim_of(0, 2)), refused(Error::NullifierUsed));
    assert_eq!(it.claim(2, &claim_of(1, 2)), Ok(()));
}

#[test]
fn errors_are_numbered() {
    let numbers = [
        Error::Unauthorized,
        Error::UnknownRoot,
        Error::NullifierUsed,
        Error::MalformedProof,
        Error::InvalidProof,
        Error::NotAnAccount,
        Error::MalformedRoot,
    ];
    for (index, error) in numbers.into_iter().enumerate() {
        assert_eq!(OdraError::from(error).code(), index as u16 + 1);
    }
}

#[test]
fn gas_stays_below_its_ceilings() {
    if !is_casper() {
        return;
    }
    let mut it = Setup::new();
    for _ in 0..5 {
        EligibilityGate::try_upgrade(&it.env, it.gate.address(), NoArgs).unwrap();
    }
    let report = it.env.gas_report();
    let deployed = report.iter().filter_map(|report| match report {
        DeployReport::WasmDeploy { gas, .. } => Some(gas.as_u64()),
        DeployReport::ContractCall { .. } => None,
    });
    let deployed: Vec<u64> = deployed.collect();
    std::println!("install and upgrades {deployed:?}");
    assert!(deployed[0] < 230 * CSPR);
    // Slightly more every time, because the package has more versions.
    assert!(deployed[1..].iter().all(|gas| *gas < 245 * CSPR));
    for root in 1..16u64 {
        it.gate.set_root(root.into());
    }
    std::println!("set_root of the sixteenth {}", it.used());
    assert!(it.used() < 3 * CSPR / 2);
    assert_eq!(it.claim(1, &claim_of(0, 1)), Ok(()));
    std::println!("claim {}", it.used());
    assert!(it.used() < 32 * CSPR);
    assert_eq!(it.claim(2, &claim_of(1, 1)), refused(Error::InvalidProof));
    std::println!("claim, refuted {}", it.used());
    assert!(it.used() < 32 * CSPR);
    assert_eq!(it.claim(1, &claim_of(0, 1)), refused(Error::NullifierUsed));
    std::println!("claim, used {}", it.used());
    assert!(it.used() < CSPR / 4);
    assert_eq!(it.gate.try_set_root(1.into()), refused(Error::Unauthorized));
    assert!(it.used() < CSPR / 10, "unauthorized {}", it.used());
}
