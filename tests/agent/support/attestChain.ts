import { type Cursor, createCursor } from '../../../src/bytes/cursor.ts'
import { decodeHex } from '../../../src/bytes/hex.ts'
import { member } from '../../../src/demo/recordedNode.ts'
import type { AnswerRpc, RpcAnswer } from '../../../src/devnet/rpcAnswer.ts'
import { hashOf, list, odraItemKey, string } from '../../support/bytesrepr.ts'
import { createSyntheticChain } from '../../support/syntheticChain.ts'
import { createScriptedNode, type ScriptedNode, type ScriptedNodeOptions } from './scriptedNode.ts'

/** An attestation as the chain holds it, oldest first. */
export interface ChainAttestation {
  feedId: string
  period: number
  amount: bigint
  sourceHash: string
}

export interface AttestChainOptions extends Omit<ScriptedNodeOptions, 'execute' | 'rest'> {
  /** `account-hash-…` of the claimant of every feed. */
  account: string
  /** Registered, without a value. */
  feedIds: readonly string[]
  /** In motes, or null where the chain does not know the account. @default 1,000 CSPR */
  balance?: () => bigint | null
}

export interface AttestChain extends ScriptedNode {
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
  /** 64 hex digits. */
  attestationRegistryPackageHash: string
  /** Everything that was ever attested, by transactions and by {@link AttestChain.attestAsAnother}. */
  readonly attested: readonly ChainAttestation[]
  setClaimant(feedId: string, address: string): void
  /** What another agent attests, in a block of its own. */
  attestAsAnother(attestation: ChainAttestation): void
  /** What another agent attests in the next transaction's block, after it. */
  overwriteInBlock(attestation: ChainAttestation): void
  /** Executes everything that was taken, without anybody asking for it. */
  makeBlock(): Promise<void>
  /**
   * For so many questions after transactions the node is where it was at first: it knows no block since then, and
   * none of the transactions.
   */
  fallBehind(questions: number): void
  /** The node does not have the last block for so many questions after its state root. */
  lag(questions: number): void
}

const CHAIN_NAME = 'casper-net-1'

/**
 * Two registries whose AttestationRegistry executes `attest` and `attest_many`: only claimants may, each execution is
 * a block with a state root of its own, and what has expired is neither taken nor executed.
 *
 * @example
 * ```ts
 * const chain = createAttestChain({ account: signer.accountHash, feedIds: ['A'] })
 * const outbox = createOutbox({ rpc: rpcOf(chain.answer), … })
 * ```
 */
export function createAttestChain(options: AttestChainOptions): AttestChain {
  const { account, feedIds, balance = () => 1_000_000_000_000n, time = () => 0 } = options
  const state = createSyntheticChain({ chainName: CHAIN_NAME })
  const claimants = new Map(feedIds.map((feedId) => [feedId, account]))
  const rootOf = new Map<string, string>()
  const attested: ChainAttestation[] = []
  let lagging = 0
  let behind = 0
  let afterwards: ChainAttestation | null = null
  for (const feedId of feedIds) state.register(feedId)
  const first = { root: state.advance(), time: time() }

  function store(attestation: ChainAttestation): void {
    const { feedId, period, amount, sourceHash } = attestation
    state.attest(feedId, { period, amount, source_hash: sourceHash })
    attested.push(attestation)
  }

  function execute(payload: unknown): string | null {
    const initiator = String(member(member(payload, 'initiator_addr'), 'PublicKey'))
    const calls = readAttestations(member(payload, 'fields'))
    const isAllowed = calls.every(({ feedId }) => claimants.get(feedId) === accountOf(initiator))
    if (isAllowed) for (const each of calls) store(each)
    if (afterwards !== null) store(afterwards)
    afterwards = null
    rootOf.set(hashOf(`block ${node.executed.length}`), state.advance())
    return isAllowed ? null : 'User error: 1'
  }

  const rest: AnswerRpc = (method, params) => {
    if (method === 'query_balance') return balanceAnswer(balance())
    const block = member(member(params, 'block_identifier'), 'Hash')
    if (method === 'chain_get_state_root_hash' && block !== undefined) return blockRoot(String(block))
    return claimantItem(method, params) ?? state.answer(method, params)
  }

  function blockRoot(blockHash: string): RpcAnswer {
    const root = rootOf.get(blockHash)
    if (root === undefined || (lagging > 0 && lagging-- > 0)) return noSuchBlock
    return { result: { state_root_hash: root } }
  }

  function claimantItem(method: string, params: unknown): RpcAnswer | null {
    if (method !== 'state_get_dictionary_item') return null
    const key = member(member(member(params, 'dictionary_identifier'), 'URef'), 'dictionary_item_key')
    const feedId = [...claimants.keys()].find((each) => odraItemKey(CLAIMANT_FIELD, string(each)) === key)
    const claimant = claimants.get(feedId ?? '')
    if (claimant === undefined) return null
    const bytes = list(`00${claimant.replace('account-hash-', '')}`)
    return { result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes } } } }
  }

  function answer(method: string, params: unknown): RpcAnswer | Promise<RpcAnswer> {
    if (behind > 0 && method === 'info_get_transaction') {
      behind -= 1
      return noSuchTransaction
    }
    if (behind > 0 && method === 'info_get_status') return statusAt(first.time)
    if (behind > 0 && method === 'chain_get_state_root_hash')
      return { result: { state_root_hash: first.root } }
    return node.answer(method, params)
  }

  const node = createScriptedNode({ ...options, chainName: CHAIN_NAME, time, ttlMs: TTL_MS, execute, rest })
  return {
    ...node,
    answer,
    attested,
    chainName: CHAIN_NAME,
    feedRegistryPackageHash: state.feedRegistryPackageHash.replace('hash-', ''),
    attestationRegistryPackageHash: state.attestationRegistryPackageHash.replace('hash-', ''),
    setClaimant: (feedId, address) => void claimants.set(feedId, address),
    attestAsAnother(attestation) {
      store(attestation)
      state.advance()
    },
    overwriteInBlock(attestation) {
      afterwards = attestation
    },
    async makeBlock() {
      node.hurry()
      for (const hash of node.sent)
        await answer('info_get_transaction', { transaction_hash: { Version1: hash } })
    },
    fallBehind(questions) {
      behind = questions
    },
    lag(questions) {
      lagging = questions
    },
  }
}

const TTL_MS = 5 * 60_000

/** Odra's number of `feed_attester`. */
const CLAIMANT_FIELD = 5

/** `account-hash-…` of an Ed25519 public key. */
const accountOf = (publicKey: string): string =>
  `account-hash-${new Bun.CryptoHasher('blake2b256')
    .update(Buffer.concat([Buffer.from('ed25519\0'), Buffer.from(publicKey.slice(2), 'hex')]))
    .digest('hex')}`

function readAttestations(fields: unknown): ChainAttestation[] {
  const named = member(member(fields, 'args'), 'Named')
  const args = new Map(Array.isArray(named) ? named.map(([name, { bytes }]) => [name, String(bytes)]) : [])
  const cursorOf = (...names: string[]): Cursor =>
    createCursor(decodeHex(names.map((name) => args.get(name) ?? '').join(''), 'arguments'), 'arguments')
  const entryPoint = member(member(fields, 'entry_point'), 'Custom')
  if (entryPoint === 'attest') return [readOne(cursorOf('asset_id', 'period', 'amount', 'source_hash'))]
  if (entryPoint !== 'attest_many') throw new Error(`no such entry point: ${entryPoint}`)
  const cursor = cursorOf('attestations')
  return Array.from({ length: cursor.u32() }, () => readOne(cursor))
}

const readOne = (cursor: Cursor): ChainAttestation => ({
  feedId: cursor.string(),
  period: Number(cursor.u64()),
  amount: cursor.bigUint(64),
  sourceHash: cursor.string(),
})

const balanceAnswer = (motes: bigint | null): RpcAnswer =>
  motes === null
    ? { error: { code: -32026, message: 'Purse not found' } }
    : { result: { balance: `${motes}` } }

const statusAt = (timestamp: number): RpcAnswer => ({
  result: {
    chainspec_name: CHAIN_NAME,
    last_added_block_info: { timestamp: new Date(timestamp).toISOString(), height: 1, hash: '11'.repeat(32) },
  },
})

const noSuchTransaction: RpcAnswer = {
  error: { code: -32014, message: 'No such transaction', data: 'no transaction for hash' },
}

const noSuchBlock: RpcAnswer = {
  error: { code: -32001, message: 'No such block', data: 'no block found for the provided identifier' },
}
