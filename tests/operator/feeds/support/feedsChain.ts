import { type Cursor, createCursor } from '../../../../src/bytes/cursor.ts'
import { decodeHex } from '../../../../src/bytes/hex.ts'
import type { Signer } from '../../../../src/casper/transaction/signer.ts'
import { type Client, createClient } from '../../../../src/client/createClient.ts'
import { member } from '../../../../src/demo/recordedNode.ts'
import type { AnswerRpc } from '../../../../src/devnet/rpcAnswer.ts'
import type { Feed } from '../../../../src/registry/feed.ts'
import {
  createScriptedNode,
  type ScriptedNode,
  type ScriptedNodeOptions,
} from '../../../agent/support/scriptedNode.ts'
import { localFetch } from '../../../casper/localNode.ts'
import { hashOf, string, u8, u64, u512 } from '../../../support/bytesrepr.ts'
import { createSyntheticAnswers } from '../../../support/syntheticAnswers.ts'
import { createSyntheticContract, type StoredValue } from '../../../support/syntheticContract.ts'
import { createVersionedStore } from '../../../support/versionedStore.ts'

export const CHAIN_NAME = 'casper-net-1'

export interface FeedsChainOptions extends Omit<ScriptedNodeOptions, 'execute' | 'rest' | 'chainName'> {
  signer: Signer
  /** In motes. @default 100 CSPR */
  balance?: bigint
  /** Whether the signer may register new feeds. @default true */
  isEligible?: boolean
  /** What is set as the gate; null leaves it out. @default the chain's own gate */
  gate?: string | null
  /** Entry points of the gate; others than `claim` make it one of another kind. @default ['claim'] */
  gateEntryPoints?: readonly string[]
}

/** Two registries and a gate on a node that executes `register_feed` and `attest` as the contracts do. */
export interface FeedsChain extends ScriptedNode {
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  attestationRegistryPackageHash: string
  gatePackageHash: string
  client: Client
  /** Arguments of every executed `register_feed`, in order. */
  registered: { feedId: string; feed: Feed }[]
  /** Registers a feed for an account, `account-hash-…` @default the signer's; shows at once. */
  register(feedId: string, feed: Feed, account?: string): void
  attest(feedId: string, value: Value): void
}

interface Value {
  period: number
  amount: bigint
  sourceHash?: string
  timestamp?: number
}

export const stranger = `account-hash-${'77'.repeat(32)}`

const addressHex = (address: string): string =>
  u8(address.startsWith('hash-') ? 1 : 0) + address.replace(/^.*-/, '')

/** A feed's `bytesrepr`. */
const feedHex = (feed: Feed): string =>
  u8(feed.decimals) +
  [feed.unit, feed.title, feed.source, feed.route, feed.frequency, feed.description].map(string).join('')

export function createFeedsChain(options: FeedsChainOptions): FeedsChain {
  const { signer, balance = 100_000_000_000n, isEligible = true, gateEntryPoints = ['claim'] } = options
  const roots: string[] = []
  const store = createVersionedStore<StoredValue>(() => roots.length + 1)
  const contract = (name: string, entryPoints: readonly string[]) =>
    createSyntheticContract({ name, store, entryPoints })
  const feeds = contract('FeedRegistry', ['init', 'register_feed'])
  const attestations = contract('AttestationRegistry', ['init', 'attest'])
  const gate = contract('EligibilityGate', gateEntryPoints)
  const claims = new Map<string, string>()
  const counts = new Map<string, number>()
  const rootOf = new Map<string, string>()
  const registered: FeedsChain['registered'] = []
  const advance = (): void => void roots.push(hashOf(`root ${roots.length}`))

  function register(feedId: string, feed: Feed, account = signer.accountHash): void {
    if (!claims.has(feedId)) {
      feeds.write(3, u64(claims.size), string(feedId))
      claims.set(feedId, account)
      feeds.write(4, '', u64(claims.size))
      feeds.write(5, string(feedId), addressHex(account))
    }
    feeds.write(2, string(feedId), feedHex(feed))
    feeds.emit('FeedRegistered', string(feedId) + u8(feed.decimals) + string(feed.unit) + string(feed.source))
    advance()
  }

  function attest(feedId: string, value: Value): void {
    const { period, amount, sourceHash = 'ab'.repeat(16), timestamp = 1_800_000_000_000 } = value
    const index = counts.get(feedId) ?? 0
    counts.set(feedId, index + 1)
    const fields = u64(period) + u512(amount) + string(sourceHash)
    const hex = fields + addressHex(signer.accountHash) + u64(timestamp)
    attestations.write(2, string(feedId), hex)
    attestations.write(3, string(`${feedId}#${index}`), hex)
    attestations.write(4, string(feedId), u64(index + 1))
    attestations.emit('RevenueAttested', string(feedId) + fields + u64(index) + u64(timestamp))
    advance()
  }

  function execute(payload: unknown): string | null {
    const fields = member(payload, 'fields')
    const isAttest = member(member(fields, 'entry_point'), 'Custom') === 'attest'
    const args = argumentsOf(fields)
    const error = isAttest ? executeAttest(args) : executeRegister(args)
    rootOf.set(hashOf(`block ${node.executed.length}`), roots.at(-1) ?? '')
    return error
  }

  function executeRegister(args: Record<string, Cursor>): string | null {
    const text = (name: string): string => args[name]?.string() ?? ''
    const feedId = text('feed_id')
    const claimant = claims.get(feedId)
    if (claimant === undefined ? !isEligible : claimant !== signer.accountHash) return 'User error: 1'
    const feed = {
      decimals: args.decimals?.u8() ?? 0,
      unit: text('unit'),
      title: text('title'),
      source: text('source'),
      route: text('route'),
      frequency: text('frequency'),
      description: text('description'),
    }
    registered.push({ feedId, feed })
    register(feedId, feed)
    return null
  }

  function executeAttest(args: Record<string, Cursor>): string | null {
    const feedId = args.asset_id?.string() ?? ''
    if (claims.get(feedId) !== signer.accountHash) return 'User error: 1'
    attest(feedId, {
      period: Number(args.period?.u64()),
      amount: args.amount?.bigUint(64) ?? 0n,
      sourceHash: args.source_hash?.string() ?? '',
    })
    return null
  }

  const answers = createSyntheticAnswers({
    chainName: CHAIN_NAME,
    state: store,
    roots,
    tip: () => roots.length,
    proof: '',
  })
  const rest: AnswerRpc = (method, params) => {
    const block = member(member(params, 'block_identifier'), 'Hash')
    if (method === 'chain_get_state_root_hash' && block !== undefined)
      return { result: { state_root_hash: rootOf.get(String(block)) } }
    if (method === 'query_balance') return { result: { balance: `${balance}` } }
    if (method === 'state_get_account_info') return { result: { account: { named_keys: [] } } }
    return answers(method, params)
  }
  feeds.write(1, '', addressHex(stranger))
  attestations.write(1, '', addressHex(stranger))
  const gateAddress = options.gate === undefined ? gate.packageHash : options.gate
  if (gateAddress !== null) feeds.write(6, '', addressHex(gateAddress))
  if (isEligible) gate.write(4, addressHex(signer.accountHash), '01')
  advance()
  const node = createScriptedNode({ ...options, chainName: CHAIN_NAME, execute, rest })
  const [feedRegistryPackageHash, attestationRegistryPackageHash, gatePackageHash] = [
    feeds,
    attestations,
    gate,
  ].map(({ packageHash }) => packageHash.replace('hash-', '')) as [string, string, string]
  const client = createClient({
    rpcUrls: ['http://node.test/rpc'],
    chainName: CHAIN_NAME,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    fetch: localFetch(node.answer),
  })
  const hashes = { feedRegistryPackageHash, attestationRegistryPackageHash, gatePackageHash }
  return { ...node, ...hashes, client, registered, register, attest }
}

/** The named arguments' bytes. */
function argumentsOf(fields: unknown): Record<string, Cursor> {
  const named = member(member(fields, 'args'), 'Named')
  if (!Array.isArray(named)) throw new Error('no named arguments')
  return Object.fromEntries(
    named.map(([name, { bytes }]) => [name, createCursor(decodeHex(bytes, name), name)]),
  )
}
