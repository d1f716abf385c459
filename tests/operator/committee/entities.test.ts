import { expect, test } from 'bun:test'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { createEntityChain } from 'wattfeed/testing/entityChain'
import { planChange } from '../../../src/operator/committee/planChange.ts'
import { LIFETIME_MS } from './committeeChain.ts'
import { committeeOf } from './committeeOf.ts'

const accountHash = 'account-hash-58b891759929bd4ed5a9cce20b9d6e3c96a66c21386bed96040e17dd07b79fa7'
const keyOf = (byte: number): string => `account-hash-${`0${byte}`.repeat(32)}`
/** The keys of the state `installed`, of which the account's own weighs two. */
const target = committeeOf(4, {
  ...Object.fromEntries([1, 2, 3, 4].map((byte) => [keyOf(byte), 1])),
  [accountHash]: 2,
})

/** Plans a change of the account's keys at the last of these states. */
async function planAt(...states: Parameters<typeof createEntityChain>[0]) {
  const chain = createEntityChain(states)
  for (const _ of states) chain.advance()
  const rpc = rpcOf(chain.answer, { chainName: chain.chainName })
  const request = { rpc, accountHash, target, removedRecovery: [], lifetimeMs: LIFETIME_MS }
  return { ...(await planChange(request)), changedAt: chain.times.at(-1) ?? 0 }
}

test('default: the change of an account that has become an addressable entity', async () => {
  const { account, before, steps } = await planAt('before', 'called')
  expect(account).toMatchObject({ namedKeys: null, actionThresholds: { deployment: 1 } })
  expect([...before.weights]).toEqual([[accountHash, 1]])
  expect(steps.at(-1)).toEqual(target)
})

test('behavior: the keys from before an entity changed them are taken into account', async () => {
  const { before, notBefore, changedAt } = await planAt('before', 'called', 'five keys')
  expect([before.weights.size, before.deployment]).toEqual([5, 3])
  expect(notBefore).toBe(changedAt + LIFETIME_MS)
})

test('behavior: nothing is to be changed', async () => {
  expect((await planAt('five keys', 'installed')).steps).toEqual([])
})
