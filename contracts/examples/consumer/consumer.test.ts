import { expect, test } from 'bun:test'
import {
  Args,
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

/** The numbers of `Error` in src/lib.rs. */
const refused = {
  noData: 'User error: 1',
  tooOld: 'User error: 2',
  otherAttester: 'User error: 3',
  otherUnit: 'User error: 4',
  otherDecimals: 'User error: 5',
}

/** A chain with both registries and the contract, which trusts an attester's values of WTI in $/bbl with 2 decimals. */
async function install(devnet: Devnet, url: string, attester = devnet.accounts[0]?.accountHash ?? '') {
  const registries = await installRegistries(devnet)
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
  const installation = new SessionBuilder()
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
        feed_id: CLValue.newCLString(WTI),
        attester: keyOf(attester),
        unit: CLValue.newCLString('$/bbl'),
        decimals: CLValue.newCLUint8(2),
        max_age_ms: CLValue.newCLUint64(MAX_AGE_MS),
      }),
    )
    .payment(300_000_000_000)
    .build()
  expect(await send(installation)).toBeNull()
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
  return { registries, getValue }
}

test('reads a value of the feed that it was installed for, while it is fresh', async () => {
  let passedMs = 0
  await using devnet = createDevnet({ now: () => Date.now() + passedMs })
  await using endpoint = await startDevnet(devnet)
  const { registries, getValue } = await install(devnet, endpoint.url)
  expect(await getValue()).toBe(refused.noData)
  await registries.registerFeed(WTI, { decimals: 2, unit: '$/bbl' })
  await registries.attest(WTI, { amount: 7004n, period: 20261120 })
  expect(await getValue()).toBeNull()
  passedMs += 2 * MAX_AGE_MS
  expect(await getValue()).toBe(refused.tooOld)
})

test('refuses the feed when its claimant has changed unit or decimals', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { registries, getValue } = await install(devnet, endpoint.url)
  await registries.registerFeed(WTI, { decimals: 2, unit: 'cents/bbl' })
  await registries.attest(WTI, { amount: 7004n, period: 20261120 })
  expect(await getValue()).toBe(refused.otherUnit)
  await registries.registerFeed(WTI, { decimals: 0, unit: '$/bbl' })
  expect(await getValue()).toBe(refused.otherDecimals)
})

test('refuses a value of another attester', async () => {
  await using devnet = createDevnet()
  await using endpoint = await startDevnet(devnet)
  const { registries, getValue } = await install(devnet, endpoint.url, devnet.accounts[2]?.accountHash)
  await registries.registerFeed(WTI, { decimals: 2, unit: '$/bbl' })
  await registries.attest(WTI, { amount: 7004n, period: 20261120 })
  expect(await getValue()).toBe(refused.otherAttester)
})
