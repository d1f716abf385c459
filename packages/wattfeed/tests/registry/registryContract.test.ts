import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { createGlobalState, PackageNotFoundError } from '@wattfeed/casper'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { absent, createLocalRpc } from '@wattfeed/casper-devnet/testing/localNode'
import { settle } from '@wattfeed/testing/clock'
import { errorOf } from '@wattfeed/testing/errorOf'
import { patience } from '@wattfeed/testing/patience'
import { createRegistryContract, type RegistryContract } from '../../src/registry/registryContract.ts'
import { type ChainInProcess, holdAnswers } from '../support/localClient.ts'
import { createRegistryChain } from '../support/registryChain.ts'

/** A registry of a chain, a clock, and the keys that it asks for: `package` or `contract`. */
function registryOf(chain: ChainInProcess, answer: AnswerRpc = chain.answer) {
  const clock = { now: 1_000_000 }
  const node = { answer }
  const asked: string[] = []
  const packageHash = chain.feedRegistryPackageHash.replace('hash-', '')
  const rpc = createLocalRpc((method, params) => {
    asked.push(String(memberAt(params, 'key')).endsWith(packageHash) ? 'package' : 'contract')
    return node.answer(method, params)
  }, patience)
  const registry = createRegistryContract(
    createGlobalState(rpc),
    'FeedRegistry',
    packageHash,
    () => clock.now,
  )
  return { registry, clock, node, asked }
}

const resolve = (registry: RegistryContract, root: string) => {
  registry.prefetch()
  return registry.at(root)
}

describe('createRegistryContract', () => {
  test('default: looks the package up, and then its contract at the state root', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const { registry, asked } = registryOf(chain)
    const root = chain.stateRootHash()
    expect([registry.name, `hash-${registry.packageHash}`]).toEqual([
      'FeedRegistry',
      chain.feedRegistryPackageHash,
    ])
    expect(registry.seenAt(root)).toBeFalse()
    expect(await resolve(registry, root)).toEqual({
      stateUref: expect.stringMatching(/^uref-[0-9a-f]{64}-007$/),
      events: {
        seedUref: expect.stringMatching(/^uref-[0-9a-f]{64}-007$/),
        lengthUref: expect.stringMatching(/^uref-[0-9a-f]{64}-007$/),
      },
      entryPoints: expect.any(Set),
    })
    expect(asked).toEqual(['package', 'contract'])
    expect([registry.seenAt(root), registry.seenAt('another')]).toEqual([true, false])
  })

  test('behavior: a known contract is not looked up again', async () => {
    const chain = await createRegistryChain()
    const { registry, asked } = registryOf(chain)
    const first = await resolve(registry, chain.stateRootHash())
    expect(await registry.at(await chain.advance())).toBe(first)
    expect(asked).toEqual(['package', 'contract'])
  })

  test('behavior: concurrent callers share the calls', async () => {
    const chain = await createRegistryChain()
    const { registry, asked } = registryOf(chain)
    const root = chain.stateRootHash()
    await Promise.all([registry.at(root), resolve(registry, root), resolve(registry, root)])
    expect(asked).toEqual(['package', 'contract'])
  })

  test('behavior: the package is looked up again after a minute, beside other reads', async () => {
    const chain = await createRegistryChain()
    const { registry, clock, node, asked } = registryOf(chain)
    const first = await resolve(registry, chain.stateRootHash())
    clock.now += 59_999
    expect(await resolve(registry, chain.stateRootHash())).toBe(first)
    expect(asked).toEqual(['package', 'contract'])
    clock.now += 1
    const held = holdAnswers(chain.answer, () => true)
    node.answer = held.answer
    expect(await resolve(registry, chain.stateRootHash())).toBe(first)
    await settle()
    expect(asked).toEqual(['package', 'contract', 'package'])
    held.release()
    await settle()
    expect(await registry.at(chain.stateRootHash())).toBe(first)
    expect(asked).toEqual(['package', 'contract', 'package'])
  })

  test('behavior: an upgraded contract is read once it is known', async () => {
    const chain = await createRegistryChain()
    const { registry, clock, asked } = registryOf(chain)
    const first = await resolve(registry, chain.stateRootHash())
    await chain.upgrade()
    const root = await chain.advance()
    clock.now += 60_000
    registry.prefetch()
    await settle()
    const upgraded = await registry.at(root)
    expect(upgraded).toEqual({ ...first, entryPoints: upgraded.entryPoints })
    expect([first, upgraded].map(({ entryPoints }) => entryPoints.has('migrate_events'))).toEqual([
      false,
      true,
    ])
    expect(asked).toEqual(['package', 'contract', 'package', 'contract'])
    expect(registry.seenAt(root)).toBeTrue()
  })

  // An upgrade keeps the URefs, so what is known of the version before is right at a root from before.
  test('behavior: a state root from before an upgrade stays readable', async () => {
    const chain = await createRegistryChain()
    const { registry, clock } = registryOf(chain)
    const before = chain.stateRootHash()
    const first = await resolve(registry, before)
    await chain.upgrade()
    await chain.advance()
    clock.now += 60_000
    registry.prefetch()
    await settle()
    expect(await registry.at(before)).toEqual(first)
  })

  // The package was looked up at a newer block than the state root: it must be looked up at that root.
  test('behavior: a first state root from just before an upgrade is readable', async () => {
    const chain = await createRegistryChain()
    const before = chain.stateRootHash()
    await chain.upgrade()
    await chain.advance()
    const { registry } = registryOf(chain)
    expect(await resolve(registry, before)).toHaveProperty('stateUref')
  })

  test('behavior: a failed lookup keeps the known contract, and is retried a minute later', async () => {
    const chain = await createRegistryChain()
    const { registry, clock, node, asked } = registryOf(chain)
    const first = await resolve(registry, chain.stateRootHash())
    clock.now += 60_000
    node.answer = () => absent
    registry.prefetch()
    await settle()
    expect(await resolve(registry, chain.stateRootHash())).toBe(first)
    // A package may also be under another key.
    const lookup = ['package', 'package']
    expect(asked).toEqual(['package', 'contract', ...lookup])
    clock.now += 60_000
    registry.prefetch()
    await settle()
    expect(asked).toEqual(['package', 'contract', ...lookup, ...lookup])
  })

  test('behavior: a discarded contract is looked up again immediately', async () => {
    const chain = await createRegistryChain()
    const { registry, asked } = registryOf(chain)
    const root = chain.stateRootHash()
    const first = await resolve(registry, root)
    registry.forget()
    expect(registry.seenAt(root)).toBeFalse()
    expect(await resolve(registry, root)).toEqual(first)
    expect(asked).toEqual(['package', 'contract', 'package', 'contract'])
    registry.forget()
    expect(await registry.at(root)).toEqual(first)
  })

  test('behavior: a discarded contract is looked up in parallel to other reads', async () => {
    const chain = await createRegistryChain()
    const { registry, asked } = registryOf(chain)
    await resolve(registry, chain.stateRootHash())
    registry.forget()
    asked.length = 0
    registry.prefetch()
    await settle()
    expect(asked).toEqual(['package'])
  })

  test('error: a first look-up that fails is tried again at once', async () => {
    const chain = await createRegistryChain()
    const { registry, node } = registryOf(chain, () => absent)
    const error = await errorOf(resolve(registry, chain.stateRootHash()))
    expect(error).toEqual(
      new PackageNotFoundError('FeedRegistry', registry.packageHash, 'no contract package'),
    )
    node.answer = chain.answer
    expect(await resolve(registry, chain.stateRootHash())).toHaveProperty('stateUref')
  })

  test('error: the package is that of another registry', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const feedRegistryPackageHash = chain.attestationRegistryPackageHash
    const { registry } = registryOf({ ...chain, feedRegistryPackageHash })
    const rule = 'no contract with the entry point "register_feed"'
    for (let times = 0; times < 2; times++)
      expect(await errorOf(resolve(registry, chain.stateRootHash()))).toEqual(
        new PackageNotFoundError('FeedRegistry', registry.packageHash, rule),
      )
    expect(registry.seenAt(chain.stateRootHash())).toBeFalse()
  })

  test('error: a contract that cannot be read is tried again', async () => {
    const chain = await createRegistryChain()
    const { registry, node } = registryOf(chain)
    node.answer = (method, params) =>
      memberAt(params, 'key') === chain.feedRegistryPackageHash ? chain.answer(method, params) : absent
    expect((await errorOf(resolve(registry, chain.stateRootHash()))).message).toContain('no contract')
    node.answer = chain.answer
    expect(await resolve(registry, chain.stateRootHash())).toHaveProperty('stateUref')
  })

  test('error: a failed lookup without a waiting caller is not an unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    const { registry } = registryOf(await createRegistryChain(), () => absent)
    registry.prefetch()
    await settle()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })
})
