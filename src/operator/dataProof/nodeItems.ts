import { nextTask } from '../../async/nextTask.ts'
import { DecodeError } from '../../bytes/cursor.ts'
import { decodeHex } from '../../bytes/hex.ts'
import type { PathElement } from '../../casper/proof/merkleProof.ts'
import { hashTrieElement } from '../../casper/proof/trieElement.ts'
import { verifyProof } from '../../casper/proof/verifyMerkleProof.ts'
import type { Rpc } from '../../casper/rpc/rpc.ts'
import { createAbsenceEvidenceFinder } from '../../casper/state/absenceEvidence.ts'
import {
  AbsenceNotProvenError,
  absentAsHidden,
  absentAsNull,
  HiddenValueError,
} from '../../casper/state/absent.ts'
import { createAgreeingRpc } from '../../casper/state/createAgreeingRpc.ts'
import { createGlobalState, type GlobalState } from '../../casper/state/globalState.ts'
import { encodeKey } from '../../casper/types/keyKinds.ts'
import type { ElementFile } from './elementFile.ts'
import type { ElementWriter } from './elementWriter.ts'
import {
  createProvenItems,
  decodeItem,
  type Found,
  findItem,
  type ItemRequest,
  type Presence,
  type ProvenItems,
  SLICE,
} from './provenItems.ts'

export interface NodeItemsOptions {
  /** The file that proves the values. What an earlier run wrote is read from it. */
  elements: ElementFile
  writer: ElementWriter
  rpc: Rpc
  stateRootHash: string
  /** Maximum number of calls in flight. */
  concurrency: number
}

/** A value from a node, with the elements that prove it or its absence, from the root down. */
interface Fetched<T> {
  value: T | null
  path: readonly PathElement[]
}

/** Reads values from nodes, and writes the elements that prove them. */
export function createNodeItems(options: NodeItemsOptions): ProvenItems {
  const { elements, writer, concurrency } = options
  const fetchItem = createFetch(options)

  async function take<T>(fetched: Promise<Fetched<T>>): Promise<T | null> {
    const { value, path } = await fetched
    await writer.add(path)
    return value
  }

  return createProvenItems(async function* <T>(requests: Iterable<ItemRequest<T>>, presence: Presence) {
    const pending: Promise<Fetched<T>>[] = []
    let done = 0
    for (const request of requests) {
      if (++done % SLICE === 0) await nextTask()
      const known = pending.length > 0 ? null : findWritten(options, request)
      if (known !== null) {
        yield known.value
        continue
      }
      const fetched = fetchItem(request, presence)
      // A failure is thrown when its turn comes.
      fetched.catch(() => {})
      pending.push(fetched)
      const isFull = pending.length >= concurrency || !elements.isAtEnd()
      const [first] = pending
      if (isFull && first !== undefined) {
        pending.shift()
        yield await take(first)
      }
    }
    for (const fetched of pending) yield await take(fetched)
  })
}

/** Reads a value that an earlier run wrote; null if the file ends before it, or is broken there. */
function findWritten<T>(
  { elements, stateRootHash }: NodeItemsOptions,
  request: ItemRequest<T>,
): { value: T | null } | null {
  if (elements.isAtEnd()) return null
  const found = findOrNull(elements, stateRootHash, request)
  if (found === 'absent') return { value: null }
  return found !== null && 'value' in found ? found : null
}

function findOrNull<T>(
  elements: ElementFile,
  stateRootHash: string,
  request: ItemRequest<T>,
): Found<T> | null {
  try {
    return findItem(elements, stateRootHash, request)
  } catch (error) {
    if (error instanceof DecodeError) return null
    throw error
  }
}

function createFetch({ elements, writer, rpc, stateRootHash }: NodeItemsOptions) {
  const state = createGlobalState(createAgreeingRpc(rpc))
  const evidence = createAbsenceEvidenceFinder({ rpc, now: () => performance.now() })

  /** Returns the elements that show the absence of a value, unless the file has them. */
  async function evidenceFor({ key, what }: ItemRequest): Promise<PathElement[]> {
    await writer.flush()
    const request = { key, what, decode: () => null }
    if (findOrNull(elements, stateRootHash, request) === 'absent') return []
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
