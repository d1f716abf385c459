//! Writes a vector for every kind of key, stored value, block, execution result and transaction of casper-types 7.0.0, and of the
//! checksums of blocks.
//!
//! usage: vectors > FILE (one JSON object a line)

use std::collections::{BTreeMap, BTreeSet};

use casper_types::{
    account::AccountHash,
    bytesrepr::{Bytes, ToBytes},
    contract_messages::MessageTopicSummary,
    contracts::NamedKeys,
    execution::{Effects, ExecutionResult, ExecutionResultV2, TransformKindV2, TransformV2},
    gens,
    system::{auction::BidKind, prepayment::PrepaymentKind},
    testing::TestRng,
    AccessRights, Approval, ApprovalsHash, Block, BlockTime, CLValue, ChunkWithProof, ContractWasm, Deploy, DeployHash,
    Digest, EntryPointValue, Gas, InitiatorAddr, Key, PricingMode, PublicKey, RuntimeArgs, SecretKey, StoredValue,
    TestBlockBuilder, TestBlockV1Builder, TimeDiff, Timestamp, Transaction, TransactionArgs, TransactionEntryPoint,
    TransactionHash, TransactionId, TransactionInvocationTarget, TransactionRuntimeParams, TransactionScheduling,
    TransactionTarget, TransactionV1, TransactionV1Hash, TransactionV1Payload, Transfer, TransferV2, URef, U512,
};
use proptest::{
    strategy::{Strategy, ValueTree},
    test_runner::TestRunner,
};
use serde_json::{json, Value};

/// More values of a kind show nothing new.
const PER_KIND: usize = 3;
/// The longest value, in bytes: they are read by people, too.
const MAX_BYTES: usize = 5_000;
const TRIES: usize = 4_000;

fn main() {
    let mut rng = TestRng::from_seed([7; 16]);
    let mut runner = TestRunner::deterministic();
    keys(&mut runner);
    stored_values(&mut runner);
    blocks(&mut rng);
    execution_results(&mut rng);
    transactions();
    deploys(&mut rng);
    checksums();
}

fn write(kind: &str, name: &str, fields: Value) {
    let mut vector = json!({ "kind": kind, "name": name });
    vector.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
    println!("{vector}");
}

fn bytes_of(value: &impl ToBytes) -> String {
    hex::encode(value.to_bytes().expect("bytesrepr"))
}

fn keys(runner: &mut TestRunner) {
    let strategy = gens::all_keys_arb();
    let drawn = (0..TRIES).map(|_| strategy.new_tree(runner).expect("a key").current());
    let mut counts: BTreeMap<(u8, u8), usize> = BTreeMap::new();
    let (mut kinds, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for key in drawn.chain([Key::RewardsHandling]) {
        let bytes = key.to_bytes().expect("bytesrepr");
        kinds.insert(bytes[0]);
        if !seen.insert(bytes.clone()) {
            continue;
        }
        // The second byte is a kind within some kinds, otherwise part of an address.
        let within = if is_divided(bytes[0]) { bytes[1] } else { 0 };
        let count = counts.entry((bytes[0], within)).or_default();
        *count += 1;
        if *count <= PER_KIND {
            write("key", &key.type_string(), json!({ "bytes": hex::encode(bytes), "text": key.to_formatted_string() }));
        }
    }
    assert_eq!(kinds, (0..=25).collect(), "every kind of key");
}

/// Kinds of keys with kinds of their own: bids, byte code, entities, block values, holds, entry points, state.
fn is_divided(tag: u8) -> bool {
    matches!(tag, 15 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24)
}

fn stored_values(runner: &mut TestRunner) {
    let strategy = gens::stored_value_arb();
    let entry_points = gens::entry_point_arb();
    let mut values: Vec<StoredValue> =
        (0..TRIES).map(|_| strategy.new_tree(runner).expect("a value").current()).collect();
    let legacy_bids = values.iter().filter_map(|value| match value {
        StoredValue::BidKind(BidKind::Unified(bid)) => Some(StoredValue::Bid(bid.clone())),
        _ => None,
    });
    let legacy_bids: Vec<_> = legacy_bids.collect();
    values.extend(legacy_bids);
    // Those that are drawn have times of no real block.
    values.retain(|value| !matches!(value, StoredValue::MessageTopic(_)));
    for index in 0..PER_KIND as u8 {
        let topic = MessageTopicSummary::new(index.into(), BlockTime::new(1_795_168_726_123), format!("topic {index}"));
        values.push(StoredValue::MessageTopic(topic));
        values.push(StoredValue::ContractWasm(ContractWasm::new(vec![0, 97, 115, 109, index])));
        let receipt = Digest::hash([index]);
        let prepayment: PrepaymentKind =
            serde_json::from_value(json!({ "receipt": receipt, "prepayment_kind": index, "prepayment_data": "0102" }))
                .expect("a prepayment");
        values.push(StoredValue::Prepayment(prepayment));
        let entry_point = entry_points.new_tree(runner).expect("an entry point").current();
        values.push(StoredValue::EntryPoint(EntryPointValue::V1CasperVm(entry_point)));
    }
    let mut counts: BTreeMap<(u8, String), usize> = BTreeMap::new();
    let mut kinds = BTreeSet::new();
    for value in values {
        let bytes = value.to_bytes().expect("bytesrepr");
        if bytes.len() > MAX_BYTES {
            continue;
        }
        kinds.insert(bytes[0]);
        let within = match &value {
            StoredValue::CLValue(value) => {
                format!("{:?}", value.cl_type()).chars().take_while(char::is_ascii_alphanumeric).collect()
            }
            StoredValue::BidKind(_) => bytes[1].to_string(),
            _ => String::new(),
        };
        let count = counts.entry((bytes[0], within)).or_default();
        *count += 1;
        if *count <= PER_KIND {
            let json = serde_json::to_value(&value).expect("JSON");
            write("stored_value", &value.type_name(), json!({ "bytes": hex::encode(bytes), "json": json }));
        }
    }
    assert_eq!(kinds, (0..=20).collect(), "every kind of value");
}

fn blocks(rng: &mut TestRng) {
    for index in 0..6 {
        let transactions: Vec<_> = (0..index).map(|_| Transaction::random(rng)).collect();
        let v2 = TestBlockBuilder::new().switch_block(index % 2 == 1).transactions(transactions.iter()).build(rng);
        let (header, body) = (bytes_of(v2.header()), bytes_of(v2.body()));
        block("BlockV2", Block::V2(v2), header, body);
        let v1 = TestBlockV1Builder::new().switch_block(index % 2 == 1).build(rng);
        let (header, body) = (bytes_of(v1.header()), bytes_of(v1.body()));
        block("BlockV1", Block::V1(v1), header, body);
    }
}

fn block(name: &str, block: Block, header: String, body: String) {
    let [hash, body_hash] = [hex::encode(block.hash().inner()), hex::encode(block.body_hash())];
    let json = json!({ "block": serde_json::to_value(&block).expect("JSON"), "proofs": [] });
    write("block", name, json!({ "header": header, "body": body, "hash": hash, "body_hash": body_hash, "json": json }));
}

fn execution_results(rng: &mut TestRng) {
    let mut counts = [0; 2];
    while counts.iter().any(|count| *count < PER_KIND) {
        let result = ExecutionResult::random(rng);
        let index = usize::from(matches!(result, ExecutionResult::V2(_)));
        let bytes = bytes_of(&result);
        if counts[index] == PER_KIND || bytes.len() > 12 * MAX_BYTES {
            continue;
        }
        counts[index] += 1;
        let json = serde_json::to_value(&result).expect("JSON");
        write(
            "execution_result",
            ["ExecutionResultV1", "ExecutionResultV2"][index],
            json!({ "bytes": bytes, "json": json }),
        );
    }
}

/// The indices of the fields in a transaction of the first version.
const ARGS: u16 = 0;
const TARGET: u16 = 1;
const ENTRY_POINT: u16 = 2;
const SCHEDULING: u16 = 3;

fn transactions() {
    for (index, (name, target, entry_point)) in calls().into_iter().enumerate() {
        let key = if index % 2 == 0 {
            SecretKey::ed25519_from_bytes([index as u8 + 1; 32])
        } else {
            SecretKey::secp256k1_from_bytes([index as u8 + 1; 32])
        };
        let key = key.expect("a secret key");
        let public_key = PublicKey::from(&key);
        let initiator = if index % 3 == 0 {
            InitiatorAddr::AccountHash(public_key.to_account_hash())
        } else {
            InitiatorAddr::PublicKey(public_key)
        };
        let pricing_mode = PricingMode::PaymentLimited {
            payment_amount: 2_500_000_000 + index as u64,
            gas_price_tolerance: 1 + index as u8,
            standard_payment: true,
        };
        let transaction = signed(initiator, pricing_mode, [target, entry_point], arguments(), &key);
        transaction_vector(&name, transaction);
    }
    let key = SecretKey::ed25519_from_bytes([9; 32]).expect("a secret key");
    for (name, pricing_mode) in [
        ("Fixed", PricingMode::Fixed { additional_computation_factor: 0, gas_price_tolerance: 1 }),
        ("Prepaid", PricingMode::Prepaid { receipt: Digest::hash([1]) }),
    ] {
        let initiator = InitiatorAddr::PublicKey(PublicKey::from(&key));
        let fields = [serialized(&TransactionTarget::Native), serialized(&TransactionEntryPoint::Transfer)];
        transaction_vector(name, signed(initiator, pricing_mode, fields, arguments(), &key));
    }
}

fn serialized(value: &impl ToBytes) -> Bytes {
    value.to_bytes().expect("bytesrepr").into()
}

fn calls() -> Vec<(String, Bytes, Bytes)> {
    use TransactionEntryPoint::*;
    let native = [
        Transfer,
        Burn,
        AddBid,
        WithdrawBid,
        Delegate,
        Undelegate,
        Redelegate,
        ActivateBid,
        ChangeBidPublicKey,
        AddReservations,
        CancelReservations,
    ];
    let mut calls: Vec<_> = native
        .into_iter()
        .map(|entry_point| (format!("Native {entry_point}"), TransactionTarget::Native, entry_point))
        .collect();
    let runtimes = [
        ("", TransactionRuntimeParams::VmCasperV1),
        (" VmCasperV2", TransactionRuntimeParams::VmCasperV2 { transferred_value: 5, seed: Some([6; 32]) }),
    ];
    for (suffix, runtime) in runtimes {
        for is_install_upgrade in [false, true] {
            let name = format!("Session{}{suffix}", if is_install_upgrade { " install" } else { "" });
            let module_bytes = Bytes::from(vec![0, 97, 115, 109]);
            calls.push((
                name,
                TransactionTarget::Session { is_install_upgrade, module_bytes, runtime: runtime.clone() },
                Call,
            ));
        }
        for (name, id) in invocations() {
            let target = TransactionTarget::Stored { id, runtime: runtime.clone() };
            calls.push((format!("Stored {name}{suffix}"), target, Custom("attest".to_string())));
        }
    }
    calls.into_iter().map(|(name, target, entry_point)| (name, serialized(&target), serialized(&entry_point))).collect()
}

fn invocations() -> Vec<(&'static str, TransactionInvocationTarget)> {
    let mut all = vec![
        ("ByHash", TransactionInvocationTarget::ByHash([1; 32])),
        ("ByName", TransactionInvocationTarget::ByName("contract".to_string())),
    ];
    for (by_hash, by_name, version, protocol_version_major) in [
        ("ByPackageHash", "ByPackageName", None, None),
        ("ByPackageHash version", "ByPackageName version", Some(3), None),
        ("ByPackageHash major", "ByPackageName major", None, Some(2)),
        ("ByPackageHash version major", "ByPackageName version major", Some(3), Some(2)),
    ] {
        let name = "package".to_string();
        all.push((
            by_hash,
            TransactionInvocationTarget::ByPackageHash { addr: [2; 32], version, protocol_version_major },
        ));
        all.push((by_name, TransactionInvocationTarget::ByPackageName { name, version, protocol_version_major }));
    }
    all
}

/// An argument of each kind of type.
fn arguments() -> RuntimeArgs {
    let mut runner = TestRunner::deterministic();
    let strategy = gens::cl_value_arb();
    let mut found: BTreeMap<String, CLValue> = BTreeMap::new();
    for _ in 0..TRIES / 4 {
        let value = strategy.new_tree(&mut runner).expect("a value").current();
        let name: String = format!("{:?}", value.cl_type()).chars().take_while(char::is_ascii_alphanumeric).collect();
        if value.inner_bytes().len() < 100 {
            found.entry(name).or_insert(value);
        }
    }
    let mut args = RuntimeArgs::new();
    for (name, value) in found {
        args.insert_cl_value(name, value);
    }
    args
}

fn signed(
    initiator: InitiatorAddr,
    pricing_mode: PricingMode,
    [target, entry_point]: [Bytes; 2],
    args: RuntimeArgs,
    key: &SecretKey,
) -> TransactionV1 {
    let fields = BTreeMap::from([
        (ARGS, serialized(&TransactionArgs::Named(args))),
        (TARGET, target),
        (ENTRY_POINT, entry_point),
        (SCHEDULING, serialized(&TransactionScheduling::Standard)),
    ]);
    let payload = TransactionV1Payload::new(
        "casper-test".to_string(),
        Timestamp::from(1_795_168_726_123),
        TimeDiff::from_millis(1_800_000),
        pricing_mode,
        initiator,
        fields,
    );
    let hash = TransactionV1Hash::new(Digest::hash(payload.to_bytes().expect("bytesrepr")));
    let mut transaction = TransactionV1::new(hash, payload, BTreeSet::new());
    transaction.sign(key);
    transaction
}

fn transaction_vector(name: &str, v1: TransactionV1) {
    let payload = bytes_of(v1.payload());
    let hash = hex::encode(v1.hash().inner());
    let transaction = Transaction::V1(v1);
    transaction.verify().expect("a valid transaction");
    let json = serde_json::to_value(&transaction).expect("JSON");
    write(
        "transaction",
        name,
        json!({ "bytes": bytes_of(&transaction), "payload": payload, "hash": hash, "json": json }),
    );
}

fn deploys(rng: &mut TestRng) {
    let all = [
        ("Transfer", Deploy::random_valid_native_transfer(rng)),
        ("StoredContractByName", Deploy::random_with_valid_session_contract_by_name(rng)),
        ("StoredContractByHash", Deploy::random_with_missing_session_contract_by_hash(rng)),
        ("StoredVersionedContractByName", Deploy::random_with_versioned_session_package_by_name(Some(3), rng)),
        ("StoredVersionedContractByHash newest", Deploy::random_with_versioned_session_package_by_hash(None, rng)),
        ("StoredVersionedContractByHash", Deploy::random_with_versioned_session_package_by_hash(Some(4), rng)),
        ("ModuleBytes", Deploy::random_with_empty_session_module_bytes(rng)),
    ];
    for (name, deploy) in all {
        let hash = hex::encode(deploy.hash().inner());
        let transaction = Transaction::Deploy(deploy);
        let json = serde_json::to_value(&transaction).expect("JSON");
        write("deploy", name, json!({ "bytes": bytes_of(&transaction), "hash": hash, "json": json }));
    }
}

/// The checksums that a node writes to global state with each block.
fn checksums() {
    let results: Vec<ExecutionResult> =
        (0..3).map(|index| ExecutionResult::V2(Box::new(executed(index, all_effects())))).collect();
    for count in 0..=results.len() {
        let some = results[..count].to_vec();
        let bytes = some.to_bytes().expect("bytesrepr");
        let checksum = Digest::hash_into_chunks_if_necessary(&bytes);
        let fields = json!({ "bytes": hex::encode(bytes), "hash": checksum, "json": some });
        write("execution_results", &format!("{count} results"), fields);
    }
    approvals();
    // A node sends the results of a block in chunks of this size.
    let chunk = ChunkWithProof::CHUNK_SIZE_BYTES;
    for length in [0, 5, chunk, chunk + 1, 2 * chunk + 1, 4 * chunk, 4 * chunk + 1, 6 * chunk] {
        let bytes: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
        let checksum = Digest::hash_into_chunks_if_necessary(&bytes);
        write("chunks", &format!("{length} bytes"), json!({ "length": length, "hash": checksum }));
    }
}

/// The approvals of a block's transactions, of both versions.
fn approvals() {
    let keys = [1, 2].map(|byte| SecretKey::ed25519_from_bytes([byte; 32]).expect("a secret key"));
    let hashes = [
        TransactionHash::V1(TransactionV1Hash::from_raw([1; 32])),
        TransactionHash::Deploy(DeployHash::from_raw([2; 32])),
    ];
    let signed = hashes.iter().enumerate().map(|(index, hash)| {
        let approvals: BTreeSet<_> = keys[index..].iter().map(|key| Approval::create(hash, key)).collect();
        (*hash, approvals)
    });
    let signed: Vec<_> = signed.collect();
    let ids = signed
        .iter()
        .map(|(hash, approvals)| TransactionId::new(*hash, ApprovalsHash::compute(approvals).expect("bytesrepr")));
    let ids: Vec<_> = ids.collect();
    let checksum = Digest::hash(ids.to_bytes().expect("bytesrepr"));
    let transactions = signed.iter().map(|(hash, approvals)| json!({ "hash": hash, "approvals": approvals }));
    let transactions: Vec<_> = transactions.collect();
    write("approvals", "2 transactions", json!({ "hash": checksum, "json": transactions }));
}

/// The first has transfers, and the second is one that failed.
fn executed(index: u8, effects: Effects) -> ExecutionResultV2 {
    let failed = index == 1;
    let initiator = if failed {
        InitiatorAddr::AccountHash(AccountHash::new([index; 32]))
    } else {
        let key = SecretKey::ed25519_from_bytes([index + 1; 32]).expect("a secret key");
        InitiatorAddr::PublicKey(PublicKey::from(&key))
    };
    let hash = TransactionHash::V1(TransactionV1Hash::from_raw([index; 32]));
    let from = InitiatorAddr::AccountHash(initiator.account_hash());
    let source = URef::new([8; 32], AccessRights::READ_ADD_WRITE);
    let target = URef::new([9; 32], AccessRights::ADD);
    let gas = Gas::new(100_000_000_u64);
    let transfer = |to, id| {
        Transfer::V2(TransferV2::new(hash, from.clone(), to, source, target, 2_500_000_000_u64.into(), gas, id))
    };
    let transfers = vec![transfer(None, None), transfer(Some(AccountHash::new([7; 32])), Some(5))];
    ExecutionResultV2 {
        error_message: failed.then(|| "User error: 1 \u{20ac}".to_string()),
        current_price: 1,
        limit: Gas::new(2_500_000_000_u64),
        consumed: Gas::new(1_130_037_703_u64),
        cost: 2_500_000_000_u64.into(),
        refund: if failed { U512::zero() } else { 1_027_471_722_u64.into() },
        transfers: if index == 0 { transfers } else { vec![] },
        size_estimate: 667,
        effects: if failed { Effects::new() } else { effects },
        initiator,
    }
}

/// Each kind of change that the embedded chain makes.
fn all_effects() -> Effects {
    let key = |byte: u8| Key::Hash([byte; 32]);
    let purse = URef::new([6; 32], AccessRights::READ_ADD_WRITE);
    let bare = Key::URef(purse.remove_access_rights());
    let mut named_keys = NamedKeys::new();
    named_keys.insert("b".to_string(), Key::URef(purse));
    // The last two are in another order by UTF-16 units.
    for (index, name) in ["a", "aa", "\u{ffee}", "\u{1f511}"].into_iter().enumerate() {
        named_keys.insert(name.to_string(), key(index as u8));
    }
    let value = CLValue::from_t("text".to_string()).expect("a value");
    let mut effects = Effects::new();
    let kinds = [
        TransformKindV2::Identity,
        TransformKindV2::Write(StoredValue::CLValue(value)),
        TransformKindV2::AddInt32(-5),
        TransformKindV2::AddUInt64(1 << 53),
        TransformKindV2::AddUInt128(u64::MAX.into()),
        TransformKindV2::AddUInt256(0.into()),
        TransformKindV2::AddUInt512(U512::MAX),
        TransformKindV2::AddKeys(named_keys),
        TransformKindV2::Prune(bare),
    ];
    for (index, kind) in kinds.into_iter().enumerate() {
        effects.push(TransformV2::new(key(index as u8), kind));
    }
    effects.push(TransformV2::new(bare, TransformKindV2::Identity));
    effects
}
