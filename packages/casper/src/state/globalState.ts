import { type AbortSignalLike, assertOptions, DecodeError, limitTime } from '@wattfeed/base'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc, RpcRequest } from '../rpc/rpc.ts'
import { StateNotKeptError } from '../rpc/rpcErrors.ts'
import { hash, isRecord, members } from '../types/jsonField.ts'
import { type AbsenceWay, absentAsHidden, absentAsNull, HiddenValueError } from './absent.ts'

interface StateRead<T, Absent> {
  /** Decodes the `stored_value`; also receives its `merkle_proof` in hex. If it throws, the node is at fault. */
  decode: (storedValue: unknown, merkleProof: unknown) => T
  /**
   * Handles the error that reports the value as absent: `absentAsNull`, or `absentAsHidden` if the value is known to be on
   * chain.
   */
  absent: (error: unknown, what: string) => Absent
  signal?: AbortSignalLike | undefined
}

/** A key of global state, and how to decode its value. */
export interface StateQuery<T, Absent> extends StateRead<T, Absent> {
  /** 64 hex digits; null for the node's newest block. */
  stateRootHash: string | null
  /** A formatted key: `hash-…`, `uref-…-007`. */
  key: string
}

/** An item of a dictionary, and how to decode it. */
export interface DictionaryItemRead<T, Absent> extends StateRead<T, Absent> {
  stateRootHash: string
  /** Seed URef, `uref-…-007`. It must exist: nodes do not distinguish an unknown seed from an absent item. */
  seedUref: string
  itemKey: string
  what: string
}

/** Reads Casper's global state. One implementation trusts the node, the other returns only proven values. */
export interface GlobalState {
  /** Whether it returns only proven values. */
  readonly isProven: boolean
  /** The nodes whose answers it trusts; missing if it returns only proven values. */
  readonly trusted?: Rpc | undefined
  /** Reads the value under a key through `query_global_state`. */
  query<T, Absent>(request: StateQuery<T, Absent>): Promise<T | Absent>
  /** Reads a dictionary item through `state_get_dictionary_item`. */
  item<T, Absent>(request: DictionaryItemRead<T, Absent>): Promise<T | Absent>
}

/**
 * Creates the form of {@link GlobalState} that trusts the node. {@link createProvenState} creates the form that does not.
 *
 * Each read returns what `decode` returns for the stored value. If there is none, it returns what `absent` returns: null with
 * {@link absentAsNull}.
 *
 * @example
 * ```ts
 * import { absentAsNull, createGlobalState, createRpc } from '@wattfeed/casper'
 *
 * const rpc = createRpc({ urls: ['http://localhost:11101/rpc'], chainName: 'casper-devnet', fetch })
 * const stored = await createGlobalState(rpc).query({
 *   stateRootHash: null,
 *   key: `account-hash-${'00'.repeat(32)}`,
 *   decode: (value) => value,
 *   absent: absentAsNull,
 * })
 * console.log(stored) // null: the chain has no such account
 * ```
 *
 * @throws {AllNodesFailedError} from each read, with each node's error.
 * @throws {DeadlineError} from each read, when the deadline passes.
 */
export function createGlobalState(rpc: Rpc): GlobalState {
  return {
    isProven: false,
    trusted: rpc,
    query: ({ stateRootHash, key, ...read }) =>
      rpc.call({
        method: 'query_global_state',
        params: {
          state_identifier: stateRootHash === null ? null : { StateRootHash: stateRootHash },
          key,
          path: [],
        },
        ...handlersOf(read, key),
      }),
    item: ({ stateRootHash, seedUref, itemKey, what, ...read }) =>
      rpc.call({
        method: 'state_get_dictionary_item',
        params: {
          state_root_hash: stateRootHash,
          dictionary_identifier: { URef: { seed_uref: seedUref, dictionary_item_key: itemKey } },
        },
        ...handlersOf(read, what),
      }),
  }
}

const handlersOf = <T, Absent>({ decode, absent, signal }: StateRead<T, Absent>, what: string) => ({
  decode(result: unknown): T | Absent {
    if (!isRecord(result)) throw new DecodeError(what, 'the result is not an object')
    return decode(result.stored_value, result.merkle_proof)
  },
  refused: (error: unknown) => absent(error, what),
  signal,
})

/** Decides whether a value is absent that a node reported as absent. */
export interface AbsenceCheck {
  /** Decides by evidence; null if there is none. */
  decide: () => Promise<'absent' | 'present' | null>
  /** Called when the nodes agree and nothing else shows it. Throws if evidence is required. */
  onUnproven: (way: AbsenceWay) => void
}

/** Options of {@link createAgreeingRpc}. */
export interface AgreeingOptions {
  /** Evidence. @default none */
  check?: AbsenceCheck
  /** Whether one node suffices if no other answers within a second. @default false */
  isTrusting?: boolean
}

/**
 * Wraps `rpc` so that two nodes must agree that a value is absent, unless evidence decides it. If only one node is
 * configured, it is trusted. A node that hides a value is penalized with a {@link HiddenValueError}.
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createAgreeingRpc(rpc: Rpc, options: AgreeingOptions = {}): Rpc {
  assertOptions(options, { check: 1, isTrusting: 1 })
  return { ...rpc, call: (request) => callAgreed(rpc, request, options) }
}

/** How long a trusted node's answer waits for another node. */
const SECOND_NODE_MS = 1_000

async function callAgreed<T>(
  rpc: Rpc,
  request: RpcRequest<T>,
  { check, isTrusting = false }: AgreeingOptions,
): Promise<T> {
  const first = await ask(rpc, request)
  if (first.absentAt === null) return first.value
  const verdict = (await check?.decide()) ?? null
  if (verdict === 'absent') return first.value
  const hidden = new HiddenValueError(request.method)
  if (verdict === 'present') {
    rpc.penalize(first.absentAt, hidden)
    return rpc.call({ ...request, refused: (error) => absentAsHidden(error, request.method) })
  }
  const again = { ...request, except: first.absentAt }
  const limit = { timeoutMs: SECOND_NODE_MS, error: () => hidden, signal: request.signal }
  const askAnother = () =>
    isTrusting
      ? limitTime(limit, ({ signal }) => ask(rpc, { ...again, signal })).catch(() => first)
      : ask(rpc, again)
  const second = rpc.nodes.length === 1 ? first : await askAnother()
  if (second.absentAt === null) rpc.penalize(first.absentAt, hidden)
  else check?.onUnproven(second === first ? 'one_node' : 'second_node')
  return second.value
}

interface Answer<T> {
  value: T
  /** The node that reports the value as absent; null if it is present. */
  absentAt: Node | null
}

const ask = <T>(rpc: Rpc, request: RpcRequest<T>): Promise<Answer<T>> =>
  rpc.call<Answer<T>>({
    ...request,
    decode: async (...result) => ({ value: await request.decode(...result), absentAt: null }),
    refused(error, node) {
      if (request.refused === undefined) throw error
      const value = request.refused(error, node)
      absentAsNull(error)
      return { value, absentAt: node }
    },
  })

/**
 * How long ago a state root was replaced if a node that does not know it no longer keeps it. A node that lags so far behind does not
 * catch up while a read is retried.
 */
export const PAST_AFTER_MS = 20_000

const NO_SUCH_STATE_ROOT = -32012

/**
 * Wraps `state` for reads at the root of an old block. A root that a node does not know is then one that it no longer keeps, and a
 * {@link StateNotKeptError} for that node, which is not retried.
 *
 * @param isPast whether the root was replaced {@link PAST_AFTER_MS} ago
 */
export function createPastState(state: GlobalState, isPast: () => boolean): GlobalState {
  const withCheck = <T extends { absent: (error: unknown, what: string) => unknown }>(request: T): T => ({
    ...request,
    absent(error: unknown, what: string) {
      if (error instanceof JsonRpcError && error.rpcCode === NO_SUCH_STATE_ROOT && isPast())
        throw new StateNotKeptError(what)
      return request.absent(error, what)
    },
  })
  return {
    isProven: state.isProven,
    trusted: state.trusted,
    query: (request) => state.query(withCheck(request)),
    item: (request) => state.item(withCheck(request)),
  }
}

/** A state root hash and the node that returned it. */
export interface NodeStateRoot {
  hash: string
  node: Node
}

/**
 * Reads the state root hash of a block through `chain_get_state_root_hash`. If a node does not have the block, the next
 * node is called.
 *
 * @param blockHash - 64 hex digits. @default the newest block
 */
export function getStateRootHash(
  rpc: Rpc,
  signal?: AbortSignalLike,
  blockHash?: string,
): Promise<NodeStateRoot> {
  return rpc.call({
    method: 'chain_get_state_root_hash',
    params: blockHash === undefined ? {} : { block_identifier: { Hash: blockHash } },
    signal,
    decode(result, node) {
      return { hash: members(result, 'state_root_hash')('state_root_hash', hash), node }
    },
  })
}
