import { beforeEach, describe, expect, test } from 'bun:test'
import { newestVersion } from '@wattfeed/casper/types'
import { contractPackageOf } from '@wattfeed/casper-devnet/testing/engine/contractPackageOf'
import { createEngineChain } from '@wattfeed/casper-devnet/testing/engine/engineChain'
import type { ExecutionResult } from '../../../packages/casper-devnet/src/engine/execute.ts'
import type { ContractName } from '../../../packages/wattfeed/src/registry/installation.ts'
import { installAsOdra, upgradeAsOdra } from './support/odraDeployment.ts'
import { installRegistries, type Registries, WTI } from './support/registries.ts'

const [owner, alice, bob] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

const outcome = ({ error, consumed }: ExecutionResult) => ({ error, consumed })
const executed = (consumed: bigint) => ({ error: null, consumed })
const unauthorized = (consumed: bigint) => ({ error: 'User error: 1', consumed })

// Except for the gate's, which differs there, all figures come from the same calls in Odra's test backend on the node's
// own execution engine (`contracts/test gas --nocapture`).
describe('our contracts', () => {
  let registries: Registries
  let first: ExecutionResult

  beforeEach(() => {
    registries = installRegistries(createEngineChain(), owner)
    registries.wire()
    for (const account of [alice, bob]) registries.chain.addAccount(account)
    first = registries.register(alice, WTI)
  })

  test('default: installing costs the same as on a node', () => {
    const chain = createEngineChain()
    chain.addAccount(owner)
    const install = (name: ContractName) => outcome(installAsOdra(chain, owner, name).installed)
    expect(install('FeedRegistry')).toEqual(executed(175_173_298_579n))
    expect(install('AttestationRegistry')).toEqual(executed(183_321_456_462n))
  })

  test('default: upgrading costs the same as on a node, slightly more each time', () => {
    const { chain, packages } = registries
    const upgrade = (name: ContractName) =>
      [1, 2, 3].map(() => outcome(upgradeAsOdra(chain, owner, name, packages[name])))
    expect(upgrade('FeedRegistry')).toEqual(
      [191_012_806_735n, 191_228_433_419n, 191_444_100_678n].map(executed),
    )
    expect(upgrade('AttestationRegistry')).toEqual(
      [199_907_889_328n, 200_123_516_012n, 200_339_183_271n].map(executed),
    )
  })

  test('default: registering and attesting cost the same as on a node', () => {
    expect(outcome(first)).toEqual(executed(1_394_273_740n))
    expect(outcome(registries.register(alice, WTI))).toEqual(executed(523_169_664n))
    expect(outcome(registries.attest(alice, WTI, 59_910_000n))).toEqual(executed(1_112_100_275n))
    expect(outcome(registries.attest(alice, WTI, 59_910_000n))).toEqual(executed(1_113_626_055n))
  })

  test('error: another account is rejected, at the same cost as on a node', () => {
    expect(outcome(registries.register(bob, WTI))).toEqual(unauthorized(67_479_315n))
    expect(outcome(registries.attest(bob, WTI, 59_910_000n))).toEqual(unauthorized(68_796_045n))
    expect(outcome(registries.attest(owner, WTI, 59_910_000n))).toEqual(unauthorized(68_796_045n))
    expect(outcome(registries.attest(bob, 'unregistered', 59_910_000n))).toEqual(unauthorized(91_321_210n))
  })

  test('error: a failed call has no effect', () => {
    const before = new Map(registries.chain.state)
    const { effects, writes, messages, returned } = registries.attest(bob, WTI, 1n)
    expect({ effects, writes, messages, returned }).toEqual({
      effects: [],
      writes: new Map(),
      messages: [],
      returned: null,
    })
    expect(registries.chain.state).toEqual(before)
  })

  test('default: attesting many values costs the same as on a node', () => {
    const ids = ['AAA', 'BBB', 'CCC', 'DDD'].map((name) => WTI.replace('WTI', name))
    for (const id of ids) expect(registries.register(alice, id).error).toBeNull()
    const batch = [WTI, ...ids].map((id): [string, bigint] => [id, 59_910_000n])
    expect(registries.attestMany(alice, batch).error).toBeNull()
    expect(outcome(registries.attestMany(alice, batch))).toEqual(executed(4_762_977_221n))
    expect(outcome(registries.attestMany(bob, batch))).toEqual(unauthorized(120_014_910n))
  })

  test('behavior: a view returns its value', () => {
    const result = registries.call(bob, 'FeedRegistry', 'feed_count', {})
    expect(result.returned).toEqual({ clType: 'U64', bytes: Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0) })
    expect(result.writes).toEqual(new Map())
  })

  test('error: a call ends at its gas limit and consumes all of it', () => {
    const args = { feed_id: { clType: 'String', bytes: Uint8Array.of(0, 0, 0, 0) } } as const
    const result = registries.call(alice, 'FeedRegistry', 'get_feed', args, 1_000_000n)
    expect(outcome(result)).toEqual({ error: 'Out of gas error', consumed: 1_000_000n })
  })

  test('default: upgrading preserves the state and disables the previous version', () => {
    const version = () => newestVersion(contractPackageOf(registries.chain, registries.packages.FeedRegistry))
    expect(version()?.contractVersion).toBe(1)
    expect(registries.attest(alice, WTI, 59_910_000n).error).toBeNull()
    expect(registries.upgrade(owner, 'FeedRegistry').error).toBeNull()
    expect(registries.upgrade(owner, 'AttestationRegistry').error).toBeNull()
    const { disabledVersions } = contractPackageOf(registries.chain, registries.packages.FeedRegistry)
    expect(version()?.contractVersion).toBe(2)
    expect(disabledVersions).toEqual([{ protocolVersionMajor: 2, contractVersion: 1 }])
    expect(outcome(registries.attest(alice, WTI, 59_910_000n))).toEqual(executed(1_113_626_055n))
  })

  test('error: a disabled version cannot be called', () => {
    expect(registries.upgrade(owner, 'FeedRegistry').error).toBeNull()
    const { versions } = contractPackageOf(registries.chain, registries.packages.FeedRegistry)
    const [oldest] = versions
    if (oldest === undefined) throw new Error('there is a first version')
    const call = (contract: { contractHash: Uint8Array } | { packageHash: Uint8Array; version: number }) =>
      registries.chain.execute({
        initiator: alice,
        target: { kind: 'call', contract, entryPoint: 'feed_count' },
      }).error
    expect(call({ contractHash: oldest.contractHash })).toBe('Contract is disabled')
    expect(call({ packageHash: registries.packages.FeedRegistry, version: 1 })).toBe(
      'No matching entity version key',
    )
  })

  test('error: another account cannot upgrade, or call entry points that are for upgrades', () => {
    expect(registries.upgrade(bob, 'FeedRegistry').error).toStartWith('Forged reference: URef(')
    expect(registries.call(bob, 'FeedRegistry', 'upgrade', {}).error).toBe('Invalid context')
    expect(registries.call(bob, 'FeedRegistry', 'init', {}).error).toBe('Invalid context')
  })
})
