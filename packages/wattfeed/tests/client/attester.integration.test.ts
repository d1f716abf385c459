import { describe, expect, test } from 'bun:test'
import { memberAt } from '@wattfeed/base'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { errorOf } from '@wattfeed/testing/errorOf'
import { AllNodesFailedError, DecodeError } from 'wattfeed'
import { localClient } from '../support/localClient.ts'
import { createRegistryChain, testFeedId } from '../support/registryChain.ts'
import { createVerifiedWorld } from '../support/verifiedWorld.ts'
import { WTI } from '../support/world.ts'

const id = testFeedId(0)

/** The stored account of a node's answer, in the node's JSON. */
const accountOf = (keys: readonly [byte: string, weight: number][], deployment: number) => ({
  Account: {
    associated_keys: keys.map(([byte, weight]) => ({
      account_hash: `account-hash-${byte.repeat(32)}`,
      weight,
    })),
    action_thresholds: { deployment, key_management: 200 },
  },
})

/** A client of a chain whose node answers reads of accounts with a stored value. */
async function clientWith(stored: unknown) {
  const chain = await createRegistryChain({ feeds: 1 })
  const local = localClient(chain)
  const answer: AnswerRpc = async (method, params) => {
    const isAccount = String(memberAt(params, 'key')).startsWith('account-hash-')
    return isAccount ? { result: { stored_value: stored } } : chain.answer(method, params)
  }
  local.answerWith(answer)
  return local.client
}

const authorityWith = async (stored: unknown) => (await (await clientWith(stored)).getAttester(id))?.authority

describe('getAttester', () => {
  test('default: the account of the feed, with its only key', async () => {
    const { client } = localClient(await createRegistryChain({ feeds: 1 }))
    const account = (await client.getClaimant(id)) ?? ''
    expect(await client.getAttester(id)).toEqual({
      account,
      authority: {
        keys: [{ accountHash: account, weight: 1 }],
        thresholds: { deployment: 1, keyManagement: 1 },
        minSigners: 1,
      },
    })
  })

  test('behavior: null for a feed that is not registered', async () => {
    const { client } = localClient(await createRegistryChain({ feeds: 1 }))
    expect(await client.getAttester('EIA.NO.SUCH.FEED')).toBeNull()
  })

  test.each(['proofs', 'full'] as const)('behavior: proven with verify: %s', async (verify) => {
    await using world = await createVerifiedWorld()
    const attester = await world.client([0], { verify }).getAttester(WTI)
    expect(attester?.authority?.keys).toEqual([{ accountHash: attester?.account ?? '', weight: 1 }])
  })

  test('behavior: keys and thresholds of a committee', async () => {
    const stored = accountOf(
      [
        ['aa', 1],
        ['bb', 1],
        ['cc', 1],
        ['dd', 1],
        ['ee', 1],
      ],
      4,
    )
    const authority = await authorityWith(stored)
    expect(authority?.keys[4]).toEqual({ accountHash: `account-hash-${'ee'.repeat(32)}`, weight: 1 })
    expect(authority?.thresholds).toEqual({ deployment: 4, keyManagement: 200 })
    expect(authority?.minSigners).toBe(4)
  })

  test.each<[name: string, weights: number[], deployment: number, minSigners: number]>([
    ['the heaviest keys first', [1, 3, 2], 5, 2],
    ['one key that is heavy enough', [1, 1, 5], 5, 1],
    ['no set of keys suffices', [1, 1], 3, 0],
  ])('behavior: the least number of signers: %s', async (_, weights, deployment, minSigners) => {
    const keys = weights.map((weight, index) => [`a${index}`, weight] as [string, number])
    expect((await authorityWith(accountOf(keys, deployment)))?.minSigners).toBe(minSigners)
  })

  test('behavior: an account that the chain does not have', async () => {
    const chain = await createRegistryChain({ feeds: 1 })
    const local = localClient(chain)
    local.answerWith(async (method, params) =>
      String(memberAt(params, 'key')).startsWith('account-hash-')
        ? {
            error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' },
          }
        : chain.answer(method, params),
    )
    expect((await local.client.getAttester(id))?.authority).toBeNull()
  })

  test('error: the node’s answer is not an account', async () => {
    const client = await clientWith({ Contract: {} })
    const error = (await errorOf(client.getAttester(id))) as AllNodesFailedError
    expect(error).toBeInstanceOf(AllNodesFailedError)
    expect(error.failures[0]?.error).toEqual(new DecodeError('Account', 'expected an object'))
  })
})
