import { DecodeError, decodeHex, nextTask } from '@wattfeed/base'
import {
  AbsenceNotProvenError,
  absentAsHidden,
  absentAsNull,
  createAbsenceEvidenceFinder,
  createAgreeingRpc,
  createGlobalState,
  type GlobalState,
  HiddenValueError,
  hashTrieElement,
  type PathElement,
  type Rpc,
  verifyProof,
} from '@wattfeed/casper'
import { encodeKey } from '@wattfeed/casper/types'
import type { ProofParts } from './proofParts.ts'
import {
  decodeItem,
  findItem,
  type ItemRequest,
  type Presence,
  type ReadItems,
  SLICE,
} from './provenItems.ts'

/** A value from a node, with the elements that prove it or its absence, from the root down. */
interface Fetched<T> {
  value: T | null
  path: readonly PathElement[]
}

interface NodeItems {
  /** The proof that the elements are added to. What a killed run has read is taken from it. */
  parts: ProofParts
  rpc: Rpc
  stateRootHash: string
  /** Maximum number of calls in flight. */
  concurrency: number
}

/** Reads values from nodes, and writes the elements that prove them. */
export function itemsOfNodes(options: NodeItems): ReadItems {
  const { parts, stateRootHash, concurrency } = options
  const fetchItem = createFetch(options)
  // In a new proof, a walk for each value would find nothing.
  const isResumed = parts.elements.size > 0

  async function take<T>(fetched: Promise<Fetched<T>>): Promise<T | null> {
    const { value, path } = await fetched
    await parts.add(path)
    return value
  }

  return async function* <T>(requests: Iterable<ItemRequest<T>>, presence: Presence) {
    const pending: Promise<Fetched<T>>[] = []
    let done = 0
    for (const request of requests) {
      if (++done % SLICE === 0) await nextTask()
      const found = isResumed ? findItem(parts.elements, stateRootHash, request) : null
      const fetched =
        found?.state === 'present'
          ? Promise.resolve({ value: found.value, path: [] })
          : fetchItem(request, presence)
      // A failure is thrown when its turn comes.
      fetched.catch(() => {})
      pending.push(fetched)
      const [first] = pending
      if (pending.length >= concurrency && first !== undefined) {
        pending.shift()
        yield await take(first)
      }
    }
    for (const fetched of pending) yield await take(fetched)
  }
}

function createFetch({ parts, rpc, stateRootHash }: NodeItems) {
  const state = createGlobalState(createAgreeingRpc(rpc))
  const evidence = createAbsenceEvidenceFinder({ rpc, now: () => performance.now() })

  /** Returns the elements that show the absence of a value; none if a killed run has written them. */
  async function evidenceFor({ key, what }: ItemRequest): Promise<PathElement[]> {
    const request = { key, what, decode: () => null }
    if (findItem(parts.elements, stateRootHash, request).state === 'absent') return []
    const found = await evidence.find(stateRootHash, key)
    if (found === null || !('trieElements' in found.evidence)) throw new AbsenceNotProvenError(what)
    if (found.verdict === 'present') throw new HiddenValueError(what)
    return found.evidence.trieElements.map((text) => {
      const bytes = decodeHex(text, what)
      return { bytes, hash: hashTrieElement(bytes) }
    })
  }

  return async function fetchItem<T>(request: ItemRequest<T>, presence: Presence): Promise<Fetched<T>> {
    const fetched = await fetchOne(state, stateRootHash, request, presence)
    if (fetched !== null) return fetched
    return { value: null, path: presence === 'decided' ? await evidenceFor(request) : [] }
  }
}

/** Reads a value from a node with its proof; null if the nodes report it as absent. */
function fetchOne<T>(
  state: GlobalState,
  stateRootHash: string,
  request: ItemRequest<T>,
  presence: Presence,
): Promise<Fetched<T> | null> {
  const { key, item, what } = request
  const decode = (_: unknown, merkleProof: unknown): Fetched<T> => {
    if (typeof merkleProof !== 'string') throw new DecodeError(what, 'the answer has no merkle_proof')
    const proof = verifyProof({ merkleProof, stateRootHash, key: encodeKey(key), what })
    return { value: decodeItem(proof.storedValue, request), path: proof.elements.toReversed() }
  }
  const read = { stateRootHash, decode, absent: presence === 'listed' ? absentAsHidden : absentAsNull }
  return item === undefined ? state.query({ ...read, key }) : state.item({ ...read, ...item, what })
}
