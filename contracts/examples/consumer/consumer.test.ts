import { expect, test } from 'bun:test'
import {
  Args,
  CLTypeByteArray,
  CLValue,
  ContractCallBuilder,
  HttpHandler,
  Key,
  KeyAlgorithm,
  PrivateKey,
  RpcClient,
  SessionBuilder,
  type Transaction,
} from 'casper-js-sdk'
import { createDevnet, type Devnet, installRegistries, startDevnet } from 'wattfeed-cli/devnet'

const WTI = 'EIA.PET.PRICE.WTI.DAILY'
const MAX_AGE_MS = 60_000

/** The errors of the crate: docs/errors.md. */
const refused = {
  noValue: 'User error: 60002',
  otherAttester: 'User error: 60003',
  otherUnit: 'User error: 60004',
  otherDecimals: 'User error: 60005',
  tooOld: 'User error: 60006',
  otherSeed: 'User error: 60008',
  seedUnchecked: 'User error: 60009',
}

/** What an installation can be given instead of a working description of the feed. */
interface Pin {
  readonly attester?: string
  /** Seed of the AttestationRegistry, 64 hex digits; null to read by calls. */
  readonly seed?: string | null
}

/** An embedded chain with both registries and a feed, and an account that uses the contract. */
async function start(devnet: Devnet, url: string) {
  const registries = await installRegistries(devnet)
  await registries.registerFeed(WTI, { decimals: 2, unit: '$/bbl' })
  const key = PrivateKey.fromPem(devnet.accounts[1]?.secretKeyPem ?? '', KeyAlgorithm.ED25519)
  const rpc = new RpcClient(new HttpHandler(url, 'fetch'))
  /** Sends a transaction and returns its error; null if it succeeded. */
  const send = async (transaction: Transaction): Promise<string | null> => {
    transaction.sign(key)
    await rpc.putTransaction(transaction)
    const { executionInfo } = await rpc.waitForTransaction(transaction)
    return executionInfo?.executionResult.errorMessage ?? null
  }
  const keyOf = (text: string): CLValue => CLValue.newCLKey(Key.newKey(text))
  /** Installs the contract, which trusts an attester's values of WTI in $/bbl with 2 decimals. */
  const install = async ({
    attester = devnet.accounts[0]?.accountHash ?? '',
    seed = registries.attestationRegistrySeed,
  }: Pin = {}) => {
    const bytes = seed === null ? null : CLValue.newCLByteArray(Uint8Array.fromHex(seed))
    return send(
      new SessionBuilder()
        .from(key.publicKey)
        .chainName(devnet.chainName)
        .wasm(await Bun.file(new URL('wasm/Consumer.wasm', import.meta.url)).bytes())
        .installOrUpgrade()
        .runtimeArgs(
          Args.fromMap({
            odra_cfg_is_upgradable: CLValue.newCLValueBool(true),
            odra_cfg_is_upgrade: CLValue.newCLValueBool(false),
            odra_cfg_allow_key_override: CLValue.newCLValueBool(false),
            odra_cfg_package_hash_key_name: CLValue.newCLString('Consumer_package_hash'),
            feed_registry: keyOf(`hash-${registries.feedRegistryPackageHash}`),
            attestation_registry: keyOf(`hash-${registries.attestationRegistryPackageHash}`),
            seed: CLValue.newCLOption(bytes, new CLTypeByteArray(32)),
            feed_id: CLValue.newCLString(WTI),
            attester: keyOf(attester),
            unit: CLValue.newCLString('$/bbl'),
            decimals: CLValue.newCLUint8(2),
            max_age_ms: CLValue.newCLUint64(MAX_AGE_MS),
          }),
        )
        .payment(300_000_000_000)
        .build(),
    )
  }
  const getValue = () =>
    send(
      new ContractCallBuilder()
        .from(key.publicKey)
        .chainName(devnet.chainName)
        .byPackageName('Consumer_package_hash')
        .entryPoint('get_value')
        .runtimeArgs(Args.fromMap({}))
        .payment(5_000_000_000)
        .build(),
    )
  return { registries, install, getValue }
}

const VALUE = { amount: 7004n, period: 20261120 }

test('reads a value of the feed that it was installed for, while it is fresh', async () => {
  let passedMs = 0
  await using devnet = createDevnet({ now: () => Date.now() + passedMs })
  await using endpoint = await startDevnet(devnet)
  const { registries, install, getValue } = await start(devnet, endpoint.url)
  await registries.attest(WTI, VALUE)
  expect(await install()).toBeNull()
  expect(await getValue()).toBeNull()
  passedMs += 2 * MAX_AGE_MS
  expect(await getValue()).toBe(refused.tooOld)
})

test('reads by calls without a seed', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { registries, install, getValue } = await start(devnet, endpoint.url)
  expect(await install({ seed: null })).toBeNull()
  expect(await getValue()).toBe(refused.noValue)
  await registries.attest(WTI, VALUE)
  expect(await getValue()).toBeNull()
})

test('refuses the feed when its claimant has changed unit or decimals', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { registries, install, getValue } = await start(devnet, endpoint.url)
  await registries.attest(WTI, VALUE)
  expect(await install()).toBeNull()
  await registries.registerFeed(WTI, { decimals: 2, unit: 'cents/bbl' })
  expect(await getValue()).toBe(refused.otherUnit)
  await registries.registerFeed(WTI, { decimals: 0, unit: '$/bbl' })
  expect(await getValue()).toBe(refused.otherDecimals)
})

test('refuses a value of another attester', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { registries, install, getValue } = await start(devnet, endpoint.url)
  await registries.attest(WTI, VALUE)
  expect(await install({ attester: devnet.accounts[2]?.accountHash })).toBeNull()
  expect(await getValue()).toBe(refused.otherAttester)
})

test('is not installed with a seed that is wrong, or that cannot be checked yet', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { registries, install } = await start(devnet, endpoint.url)
  expect(await install()).toBe(refused.seedUnchecked)
  await registries.attest(WTI, VALUE)
  expect(await install({ seed: '07'.repeat(32) })).toBe(refused.otherSeed)
})
