import { memberAt } from '@wattfeed/base'
import { testSigner } from '@wattfeed/casper/testing/keys'
import { clAddress } from '@wattfeed/casper/types'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { clValueResult } from '@wattfeed/casper-devnet/testing/localNode'
import { getExecution } from '@wattfeed/casper-devnet/testing/sender'
import { list, odraItemKey } from '@wattfeed/testing/bytesrepr'
import { localClient } from 'wattfeed/testing/localClient'
import type { Client } from '../../../../packages/wattfeed/src/client/createClient.ts'
import { attestArguments, registerArguments } from '../../../../packages/wattfeed/src/registry/calls.ts'
import { decodeFeedRegistered } from '../../../../packages/wattfeed/src/registry/events.ts'
import type { Feed } from '../../../../packages/wattfeed/src/registry/feed.ts'
import { feedMetadata } from '../../../../src/feeds/file/feedConfig.ts'
import { registerPaymentMotes } from '../../../../src/operator/feeds/register/registerPayment.ts'
import {
  type AttestChain,
  type AttestChainOptions,
  CALL_MOTES,
  CHAIN_NAME,
  changeEntryPoints,
  createAttestChain,
} from '../../../agent/support/attestChain.ts'
import { createConfig } from './feedConfigs.ts'

export { CHAIN_NAME }

export interface FeedsChainOptions extends Pick<AttestChainOptions, 'puts' | 'looks' | 'losesFeeds'> {
  /** The chain's clock, in epoch milliseconds. @default stands still */
  time?: () => number
  /** In motes. @default 100 CSPR */
  balance?: bigint
  /** Whether the gate lists the test's key as eligible for new feeds. @default true */
  isEligible?: boolean
  /** The gate's address, `hash-…` or `account-hash-…`; null for none. @default one with a list of eligible accounts */
  gate?: 'without a list' | (string & {}) | null
  /** A feed that the stranger registers in the block before the first one with a transaction. */
  claimedAhead?: string
}

/** An embedded chain on which the test's key registers feeds. */
export interface FeedsChain extends AttestChain {
  client: Client
  /** Feeds registered by transactions that the node received, in order, in their present form. */
  registered(): Promise<{ feedId: string; feed: Feed | null }[]>
  /** Registers a feed for the test's key or the stranger, in a separate block. */
  register(feedId: string, feed: Feed, account?: 'stranger'): Promise<void>
  attest(feedId: string, value: { period: number; amount: bigint }, account?: 'stranger'): Promise<void>
}

export const START = 1_800_000_000_000
const taken = feedMetadata(createConfig({ title: 'taken' }))
const withClaim = (names: readonly string[]): readonly string[] =>
  names.includes('is_eligible') ? [...names, 'claim'] : names
/** Odra's number of the field with the eligible accounts. */
const ELIGIBLE_FIELD = 4

export async function createFeedsChain(options: FeedsChainOptions = {}): Promise<FeedsChain> {
  const { isEligible = true, gate, claimedAhead, balance = 100_000_000_000n, ...script } = options
  const prepared = new Set<number>()
  let ahead = claimedAhead
  const beforeBlock = async (): Promise<void> => {
    const feedId = ahead
    ahead = undefined
    if (feedId !== undefined) await register(feedId, taken, 'stranger')
  }
  const own = { feeds: {}, time: () => START, balance: () => balance, beforeBlock }
  const chain = await createAttestChain({ ...own, ...script })
  const { accountHash } = await testSigner()
  const flag = odraItemKey(ELIGIBLE_FIELD, `00${accountHash.replace('account-hash-', '')}`)

  /** The chain's gate accepts every account and has no list. This shows it with a list that contains the key. */
  const answer: AnswerRpc = async (method, params) => {
    const item = memberAt(params, 'dictionary_identifier', 'URef')
    if (isEligible && memberAt(item, 'dictionary_item_key') === flag) return clValueResult(list('01'))
    const answered = await chain.answer(method, params)
    return method === 'query_global_state' && gate === undefined
      ? changeEntryPoints(answered, withClaim)
      : answered
  }

  async function register(feedId: string, feed: Feed, account?: 'stranger'): Promise<void> {
    const args = registerArguments(feedId, feed)
    const paymentMotes = registerPaymentMotes(feedId, feed)
    const from = account && chain.strangerSigner
    await chain.call('FeedRegistry', { entryPoint: 'register_feed', args, paymentMotes }, from)
    prepared.add((await chain.events('FeedRegistry', decodeFeedRegistered)).length - 1)
  }

  if (gate && gate !== 'without a list')
    await chain.call('FeedRegistry', {
      entryPoint: 'set_eligibility_gate',
      args: { gate: clAddress(gate) },
      paymentMotes: CALL_MOTES,
    })
  const ungated = gate === null ? { feedRegistryPackageHash: await chain.installFeedRegistry() } : {}
  const { client } = localClient({ ...chain, ...ungated, answer })
  return {
    ...chain,
    ...ungated,
    answer,
    client,
    register,
    async registered() {
      const events = await chain.events('FeedRegistry', decodeFeedRegistered)
      const ids = events.filter((_, index) => !prepared.has(index)).map(({ feedId }) => feedId)
      return Promise.all(ids.map(async (feedId) => ({ feedId, feed: await client.getFeed(feedId) })))
    },
    async attest(feedId, value, account) {
      const args = attestArguments({ feed_id: feedId, ...value, source_hash: 'ab'.repeat(16) })
      const from = account && chain.strangerSigner
      await chain.call('AttestationRegistry', { entryPoint: 'attest', args, paymentMotes: CALL_MOTES }, from)
    },
  }
}

/** The cost of a transaction on the chain: the consumed gas, plus a quarter of the rest. */
export async function costOf({ answer }: FeedsChain, hash: string | null | undefined) {
  const { limitMotes, consumedMotes } = await getExecution(answer, hash ?? '')
  const charged = limitMotes - ((limitMotes - consumedMotes) * 3n) / 4n
  return { consumed_motes: `${consumedMotes}`, charged_motes: `${charged}` }
}
