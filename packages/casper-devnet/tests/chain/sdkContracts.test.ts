import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { CHAIN_NAME, json, keys } from '@wattfeed/casper/testing/sdkTransactions'
import {
  Args,
  CLValue,
  ContractCallBuilder,
  Deploy,
  DeployHeader,
  ExecutableDeployItem,
  Key,
  type PrivateKey,
  SessionBuilder,
  StoredVersionedContractByName,
  type Transaction,
} from 'casper-js-sdk'
import { createDevnet, type Devnet } from '../../src/createDevnet.ts'
import { readRecordedGate } from '../support/contractWasm.ts'

const wasm = readRecordedGate()
const packageName = 'gate_package_hash'

const installArgs = (): Args =>
  Args.fromMap({
    odra_cfg_is_upgradable: CLValue.newCLValueBool(true),
    odra_cfg_is_upgrade: CLValue.newCLValueBool(false),
    odra_cfg_allow_key_override: CLValue.newCLValueBool(false),
    odra_cfg_package_hash_key_name: CLValue.newCLString(packageName),
  })

const callArgs = (key: PrivateKey): Args =>
  Args.fromMap({
    who: CLValue.newCLKey(Key.newKey(key.publicKey.accountHash().toPrefixedString())),
  })

/** The gate's signed installation. */
function installBy(key: PrivateKey): Transaction {
  const install = new SessionBuilder()
    .wasm(wasm)
    .installOrUpgrade()
    .from(key.publicKey)
    .chainName(CHAIN_NAME)
    .payment(200_000_000_000, 1)
    .runtimeArgs(installArgs())
    .build()
  install.sign(key)
  return install
}

/** Sends a transaction and returns its error; null if it succeeded. */
async function run(devnet: Devnet, transaction: Transaction): Promise<unknown> {
  const params = { transaction: { Version1: json(transaction.toJSON()) } }
  expect(await devnet.call('account_put_transaction', params)).toMatchObject({
    result: { transaction_hash: { Version1: transaction.hash.toHex() } },
  })
  const info = await devnet.call('info_get_transaction', {
    transaction_hash: { Version1: transaction.hash.toHex() },
  })
  return errorOf(info)
}

function errorOf(info: unknown): unknown {
  const executed = memberAt(info, 'result', 'execution_info', 'execution_result', 'Version2')
  return memberAt(executed, 'error_message')
}

const nameOf = async (devnet: Devnet, key: PrivateKey, name: string): Promise<string> => {
  const info = await devnet.call('state_get_account_info', { account_identifier: key.publicKey.toHex() })
  const named = memberAt(info, 'result', 'account', 'named_keys')
  const found = Array.isArray(named) ? named.find((each) => memberAt(each, 'name') === name) : null
  return String(memberAt(found, 'key')).replace('hash-', '')
}

const contractOf = async (devnet: Devnet, packageHash: string): Promise<string> => {
  const found = await devnet.call('query_global_state', { key: `hash-${packageHash}`, path: [] })
  const stored = memberAt(found, 'result', 'stored_value', 'ContractPackage')
  const versions = memberAt(stored, 'versions')
  return String(memberAt(Array.isArray(versions) ? versions[0] : null, 'contract_hash')).replace(
    'contract-',
    '',
  )
}

describe('contracts on a devnet, by casper-js-sdk', () => {
  test.each(Object.entries(keys))('default: %s: installed, and called in every way', async (_, key) => {
    await using devnet = createDevnet({ accounts: 1, fund: [key.publicKey.toHex()] })
    expect(await run(devnet, installBy(key))).toBeNull()
    const packageHash = await nameOf(devnet, key, packageName)
    const contractHash = await contractOf(devnet, packageHash)
    const ways: ((builder: ContractCallBuilder) => ContractCallBuilder)[] = [
      (builder) => builder.byPackageHash(packageHash),
      (builder) => builder.byPackageHash(packageHash, 1),
      (builder) => builder.byPackageHash(packageHash, 1, 2),
      (builder) => builder.byPackageHash(packageHash, undefined, 2),
      (builder) => builder.byHash(contractHash),
      (builder) => builder.byPackageName(packageName),
      (builder) => builder.byPackageName(packageName, 1, 2),
    ]
    for (const way of ways) {
      const call = way(new ContractCallBuilder())
        .entryPoint('is_eligible')
        .from(key.publicKey)
        .chainName(CHAIN_NAME)
        .payment(2_500_000_000, 1)
        .runtimeArgs(callArgs(key))
        .build()
      call.sign(key)
      expect(await run(devnet, call)).toBeNull()
    }
  })

  test('error: a version of a protocol that has none', async () => {
    const key = keys.ed25519
    await using devnet = createDevnet({ accounts: 1, fund: [key.publicKey.toHex()] })
    await run(devnet, installBy(key))
    const packageHash = await nameOf(devnet, key, packageName)
    const call = (version: number | undefined, major: number) => {
      const made = new ContractCallBuilder()
        .byPackageHash(packageHash, version, major)
        .entryPoint('is_eligible')
        .from(key.publicKey)
        .chainName(CHAIN_NAME)
        .payment(2_500_000_000, 1)
        .runtimeArgs(callArgs(key))
        .build()
      made.sign(key)
      return made
    }
    expect(await run(devnet, call(undefined, 1))).toBe('Missing entity version: 1.0')
    const refused = await devnet.call('account_put_transaction', {
      transaction: { Version1: json(call(1, 1).toJSON()) },
    })
    expect(memberAt(refused, 'error', 'data')).toBe('the transaction was invalid: missing entity at version')
  })

  test('behavior: a legacy deploy installs, and another one calls by name', async () => {
    const key = keys.ed25519
    await using devnet = createDevnet({ accounts: 1, fund: [key.publicKey.toHex()] })
    const send = async (session: ExecutableDeployItem, motes: string): Promise<unknown> => {
      const header = DeployHeader.default()
      header.account = key.publicKey
      header.chainName = CHAIN_NAME
      const deploy = Deploy.makeDeploy(header, ExecutableDeployItem.standardPayment(motes), session)
      deploy.sign(key)
      const hash = deploy.hash.toHex()
      expect(await devnet.call('account_put_deploy', { deploy: json(Deploy.toJSON(deploy)) })).toEqual({
        result: { api_version: '2.0.0', deploy_hash: hash },
      })
      return errorOf(await devnet.call('info_get_deploy', { deploy_hash: hash }))
    }
    expect(await send(ExecutableDeployItem.newModuleBytes(wasm, installArgs()), '200000000000')).toBeNull()
    const call = new ExecutableDeployItem()
    call.storedVersionedContractByName = new StoredVersionedContractByName(
      packageName,
      'is_eligible',
      callArgs(key),
    )
    expect(await send(call, '2500000000')).toBeNull()
  })

  test('error: a missing entry point: accepted by package, rejected by contract', async () => {
    const key = keys.ed25519
    await using devnet = createDevnet({ accounts: 1, fund: [key.publicKey.toHex()] })
    await run(devnet, installBy(key))
    const packageHash = await nameOf(devnet, key, packageName)
    const contractHash = await contractOf(devnet, packageHash)
    const callOf = (way: (builder: ContractCallBuilder) => ContractCallBuilder): Transaction => {
      const call = way(new ContractCallBuilder())
        .entryPoint('no_such_entry')
        .from(key.publicKey)
        .chainName(CHAIN_NAME)
        .payment(2_500_000_000, 1)
        .runtimeArgs(callArgs(key))
        .build()
      call.sign(key)
      return call
    }
    expect(
      await run(
        devnet,
        callOf((builder) => builder.byPackageHash(packageHash)),
      ),
    ).toBe('No such method: no_such_entry')
    const refused = callOf((builder) => builder.byHash(contractHash))
    expect(
      await devnet.call('account_put_transaction', { transaction: { Version1: json(refused.toJSON()) } }),
    ).toEqual({
      error: {
        code: -32016,
        message: 'Invalid transaction',
        data: 'the transaction was invalid: no such entry point',
      },
    })
  })
})
