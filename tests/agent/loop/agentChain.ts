import { type FeedConfig, feedMetadata } from '../../../src/agent/feeds/feedConfig.ts'
import { member } from '../../../src/demo/recordedNode.ts'
import type { AnswerRpc, RpcAnswer } from '../../../src/devnet/rpcAnswer.ts'
import { hashOf, list, odraItemKey, string, u8 } from '../../support/bytesrepr.ts'
import { type AttestChain, type AttestChainOptions, createAttestChain } from '../support/attestChain.ts'

export interface AgentChainOptions extends Omit<AttestChainOptions, 'feedIds'> {
  /** Registered as they are configured. */
  feeds: readonly FeedConfig[]
  /** Whether the AttestationRegistry has `attest_many`. @default true */
  offersMany?: boolean
}

/** Odra's number of `feeds`. */
const FEEDS_FIELD = 2

/** A chain whose feeds are those that the agent is configured with. */
export function createAgentChain({ feeds, offersMany = true, ...options }: AgentChainOptions): AttestChain {
  const chain = createAttestChain({ ...options, feedIds: feeds.map(({ feed_id }) => feed_id) })
  const items = new Map(
    feeds.map((feed) => [odraItemKey(FEEDS_FIELD, string(feed.feed_id)), encodeFeed(feed)]),
  )
  const stateUref = `uref-${hashOf(`${chain.chainName}/FeedRegistry/state`)}-007`
  const answer: AnswerRpc = async (method, params) => {
    const item = member(member(params, 'dictionary_identifier'), 'URef')
    const key = String(member(item, 'dictionary_item_key'))
    const bytes = member(item, 'seed_uref') === stateUref ? items.get(key) : undefined
    if (bytes !== undefined)
      return { result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes: list(bytes) } } } }
    const answered = await chain.answer(method, params)
    return method === 'query_global_state' && offersMany ? withMany(answered) : answered
  }
  return { ...chain, answer }
}

function encodeFeed(config: FeedConfig): string {
  const { decimals, unit, title, source, route, frequency, description } = feedMetadata(config)
  return u8(decimals) + [unit, title, source, route, frequency, description].map(string).join('')
}

/** The AttestationRegistry as its newest wasm makes it. */
function withMany(answered: RpcAnswer): RpcAnswer {
  const stored = 'result' in answered ? member(answered.result, 'stored_value') : undefined
  const contract = member(stored, 'Contract')
  const entryPoints = member(contract, 'entry_points')
  if (!Array.isArray(entryPoints) || !entryPoints.some(({ name }) => name === 'attest')) return answered
  const changed = { ...Object(contract), entry_points: [...entryPoints, { name: 'attest_many' }] }
  return { result: { stored_value: { Contract: changed } } }
}
