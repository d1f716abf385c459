import {
  type AbortSignalLike,
  addNewest,
  assertOptions,
  DecodeError,
  decodeHex,
  encodeHex,
  limitTime,
  WattfeedError,
} from '@wattfeed/base'
import { startWalk, takeElement } from '../proof/trieWalk.ts'
import { type AbsenceEvidence, verifyAbsence } from '../proof/verifyAbsence.ts'
import { JsonRpcError } from '../rpc/jsonRpc.ts'
import type { Node } from '../rpc/node.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { members } from '../types/jsonField.ts'
import { encodeKey, hasFixedLength } from '../types/keyKinds.ts'

/** What evidence shows about a key, and the evidence. */
export interface FoundEvidence {
  verdict: 'absent' | 'present'
  evidence: AbsenceEvidence
}

/** Keeps proofs and asks nodes, to show that a key is absent at a state root. */
export interface AbsenceEvidenceFinder {
  /** Keeps a Merkle proof that was verified: it may show the absence of another key at this state root. */
  keep(stateRootHash: string, key: string, merkleProof: string): void
  /**
   * Finds evidence about a key: among the kept proofs first, then by a walk down the trie at a node that allows
   * `state_get_trie`. Returns null if neither decides.
   */
  find(stateRootHash: string, key: string, signal?: AbortSignalLike): Promise<FoundEvidence | null>
  /** Probes again whether nodes allow `state_get_trie`, for example after a protocol upgrade. */
  askAgain(): void
}

/** Options of {@link createAbsenceEvidenceFinder}. */
export interface AbsenceEvidenceOptions {
  rpc: Rpc
  /** Monotonic clock in milliseconds. @default performance.now */
  now?: () => number
}

/**
 * Creates a finder. Public nodes do not allow `state_get_trie` by default, so each node is probed once an hour.
 *
 * @throws {InvalidArgumentError} for an option that does not exist.
 */
export function createAbsenceEvidenceFinder(options: AbsenceEvidenceOptions): AbsenceEvidenceFinder {
  assertOptions(options, { rpc: 1, now: 1 })
  const { rpc, now = () => performance.now() } = options
  const proofs = createKeptProofs()
  const walks = createTrieWalks(rpc, now)
  return {
    keep: proofs.keep,
    askAgain: walks.askAgain,
    async find(stateRootHash, key, signal) {
      if (!hasFixedLength(encodeKey(key))) return null
      const merkleProof = proofs.nearest(stateRootHash, key)
      if (merkleProof !== null) {
        const evidence = { merkleProof }
        const verdict = verifyAbsence({ key, stateRootHash, evidence, what: key })
        if (verdict !== 'not shown') return { verdict, evidence }
      }
      return walks.walk(stateRootHash, key, signal)
    },
  }
}

/** Maximum number of proofs kept for a state root. Each takes 20 to 120 kB as hex. */
const MAX_PROOFS = 64

/** Reads overlap, so the root before the newest one is still in use. */
const MAX_ROOTS = 2

function createKeptProofs() {
  const roots = new Map<string, Map<string, string>>()

  return {
    keep(stateRootHash: string, key: string, merkleProof: string): void {
      const kept = roots.get(stateRootHash) ?? new Map<string, string>()
      addNewest(roots, stateRootHash, kept, MAX_ROOTS)
      addNewest(kept, encodeHex(encodeKey(key)), merkleProof, MAX_PROOFS)
    },
    /** Returns the proof whose key shares the most digits with a key. If any kept proof decides, this one does. */
    nearest(stateRootHash: string, key: string): string | null {
      const wanted = encodeHex(encodeKey(key))
      let best = { shared: -1, merkleProof: null as string | null }
      for (const [each, merkleProof] of roots.get(stateRootHash) ?? []) {
        const shared = sharedLength(each, wanted)
        if (shared > best.shared) best = { shared, merkleProof }
      }
      return best.merkleProof
    },
  }
}

function sharedLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

/** The function is disabled, or the method does not exist. */
const REFUSED_CODES = new Set([-32019, -32601])

/** How long a node that does not allow `state_get_trie` is not probed again. */
const REFUSED_MS = 3_600_000

/** How long a node whose walk failed is not probed again. */
const FAILED_MS = 60_000

const WALK_TIMEOUT_MS = 3_000

/** Maximum number of cached elements. Only those above the leaves are cached; they take up to 8.8 kB. */
const MAX_ELEMENTS = 256

const MAX_CACHED_BYTES = 10_000

/** A node does not allow `state_get_trie`, or does not have an element. */
class NoElementError extends Error {
  constructor(readonly isRefused: boolean) {
    super('the node returned no element')
  }
}

function createTrieWalks(rpc: Rpc, now: () => number) {
  /** When a node may be probed again. */
  const askAt = new Map<Node, number>()
  /** Elements by hash, which never change. */
  const elements = new Map<string, Uint8Array>()

  async function getElement(node: Node, hash: string, signal: AbortSignalLike): Promise<Uint8Array> {
    const known = elements.get(hash)
    if (known !== undefined) return known
    const text = await rpc.call<string | JsonRpcError>({
      method: 'state_get_trie',
      params: { trie_key: hash },
      only: node,
      signal,
      decode: (result) => members(result, 'state_get_trie')('maybe_trie_bytes', textOrEmpty),
      refused(error) {
        if (error instanceof JsonRpcError) return error
        throw error
      },
    })
    if (text instanceof JsonRpcError) throw new NoElementError(REFUSED_CODES.has(text.rpcCode))
    if (text === '') throw new NoElementError(false)
    return decodeHex(text, 'trie element')
  }

  async function walkAt(
    node: Node,
    stateRootHash: string,
    key: Uint8Array,
    signal: AbortSignalLike,
  ): Promise<FoundEvidence> {
    const trieElements: string[] = []
    let place = startWalk(decodeHex(stateRootHash, 'state root'))
    for (;;) {
      const hash = encodeHex(place.pointer.hash)
      const element = await getElement(node, hash, signal)
      const next = takeElement(place, element, key)
      if (element.length <= MAX_CACHED_BYTES) addNewest(elements, hash, element, MAX_ELEMENTS)
      trieElements.push(encodeHex(element))
      if (typeof next === 'string') return { verdict: next, evidence: { trieElements } }
      place = next
    }
  }

  return {
    askAgain: () => askAt.clear(),
    async walk(stateRootHash: string, text: string, signal?: AbortSignalLike): Promise<FoundEvidence | null> {
      const key = encodeKey(text)
      for (const node of rpc.nodes) {
        if (now() < (askAt.get(node) ?? 0)) continue
        try {
          const error = () => new NoElementError(false)
          return await limitTime({ timeoutMs: WALK_TIMEOUT_MS, error, signal }, (time) =>
            walkAt(node, stateRootHash, key, time.signal),
          )
        } catch (error) {
          if (signal?.aborted || !(error instanceof WattfeedError || error instanceof NoElementError))
            throw error
          if (error instanceof DecodeError) rpc.penalize(node, error)
          const isRefused = error instanceof NoElementError && error.isRefused
          askAt.set(node, now() + (isRefused ? REFUSED_MS : FAILED_MS))
        }
      }
      return null
    },
  }
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')
