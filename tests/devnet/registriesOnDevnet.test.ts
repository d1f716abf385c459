import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import { createDevnet, type Devnet } from '@wattfeed/casper-devnet'
import { installRegistries } from 'wattfeed/testing/installRegistries'
import { readRegistries } from 'wattfeed/testing/readRegistries'
import { createRulesChain } from 'wattfeed/testing/rulesChain'
import { createWorld, WTI } from 'wattfeed/testing/world'
import { installRegistries as installOwnRegistries } from '../../src/devnet/installRegistries.ts'

const result = async (node: Pick<Devnet, 'call'>, method: string, params?: unknown): Promise<unknown> =>
  memberAt(await node.call(method, params), 'result')

const rootOf = async (node: Pick<Devnet, 'call'>): Promise<string> =>
  String(memberAt(await result(node, 'chain_get_state_root_hash'), 'state_root_hash'))

const heightOf = async (node: Pick<Devnet, 'call'>): Promise<unknown> =>
  memberAt(await result(node, 'info_get_status'), 'last_added_block_info', 'height')

describe('createDevnet with registries', () => {
  test('behavior: a call of a contract on a fork does not affect other forks', async () => {
    await using world = await createWorld()
    await using fork = world.devnet.fork()
    const before = await readRegistries(fork, world.packages)
    expect(before).toEqual(await world.read())
    expect(await world.register(world.owner, WTI)).toBeNull()
    expect((await world.read()).feedCount).toBe(1)
    expect(await readRegistries(fork, world.packages)).toEqual(before)
  })

  test('behavior: forks execute the same transactions', async () => {
    const chain = await createRulesChain()
    const { owner } = chain
    const hashes: unknown[] = []
    for (const { devnet, sender } of [chain.fork(), chain.fork()]) {
      await installRegistries(sender, { signer: owner, account: owner.accountHash })
      hashes.push(await rootOf(devnet))
    }
    expect(hashes[1]).toBe(hashes[0])
    expect(hashes[0]).not.toBe(await rootOf(chain.devnet))
  })

  test('behavior: with `manual`, no transaction and no timer makes a block', async () => {
    await using devnet = createDevnet({ accounts: 1, blockTimeMs: 'manual' })
    let made = 0
    const produceBlock = () => {
      made += 1
      return devnet.produceBlock()
    }
    await installOwnRegistries({ ...devnet, produceBlock })
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
    expect(made).toBeGreaterThan(2)
    expect(await heightOf(devnet)).toBe(made)
  })

  test('error: a field or member that does not exist is named, and nothing is sent', async () => {
    await using devnet = createDevnet({ accounts: 1 })
    const registries = await installOwnRegistries(devnet)
    const height = await heightOf(devnet)
    const calls = [
      () => registries.registerFeed('A', { decimal: 2 } as object),
      () => registries.attest('A', { amount: 1n, period: 2026, ...({ decimal: 2 } as object) }),
    ]
    const messages = await Promise.all(calls.map((call) => call().catch(({ message }: Error) => message)))
    expect(messages).toEqual([
      'feed.decimal must be left out: there is no such option; the nearest is feed.decimals',
      'value.decimal must be left out: there is no such option; the nearest is value.period',
    ])
    expect(await heightOf(devnet)).toBe(height)
  })
})
