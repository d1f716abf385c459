import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { createLocalRpc, localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { itemsOfNodes } from '../../../src/operator/dataProof/nodeItems.ts'
import { ProofFile } from '../../../src/operator/dataProof/proofFile.ts'
import { ProofParts } from '../../../src/operator/dataProof/proofParts.ts'
import {
  type ItemRequest,
  itemsInFile,
  type Presence,
  type ReadItems,
} from '../../../src/operator/dataProof/provenItems.ts'
import { readDataSet } from '../../../src/operator/dataProof/readDataSet.ts'

let chain: RegistryChain
let folder: Folder
/** The requests for the numbers of values, by feed. */
const counts = new Map<string, ItemRequest>()

beforeAll(async () => {
  chain = await createRegistryChain({ feeds: 2 })
  chain.register('EMPTY.FEED')
  await chain.advance()
  folder = createFolder()
  const opened = await open('all', chain.answer)
  await readDataSet({
    items: noting(opened.items),
    packages: {
      FeedRegistry: chain.feedRegistryPackageHash.slice('hash-'.length),
      AttestationRegistry: chain.attestationRegistryPackageHash.slice('hash-'.length),
    },
    step: (_, work) => work(),
    onRead: () => {},
  })
})

afterAll(() => folder[Symbol.dispose]())

/** Notes the requests for numbers of values. */
const noting = (items: ReadItems): ReadItems =>
  async function* (requests, presence) {
    for (const request of requests) {
      const [, feedId] = /count\[(.*)\]/.exec(request.what) ?? []
      if (feedId !== undefined) counts.set(feedId, request)
      yield* items([request], presence)
    }
  }

interface Opened {
  items: ReadItems
  parts: ProofParts
}

/** Begins a proof without a header that gets the elements from a node. Each element is a part. */
async function open(name: string, answer: AnswerRpc): Promise<Opened> {
  return openWith(
    await ProofParts.begin(join(folder.path, name), { header: '', purpose: '', partBytes: 1 }),
    answer,
  )
}

/** Goes on with the proof that {@link open} began. */
const resume = async (name: string, answer: AnswerRpc): Promise<Opened> =>
  openWith(await ProofParts.resume(join(folder.path, name)), answer)

function openWith(parts: ProofParts, answer: AnswerRpc): Opened {
  const { chainName } = chain
  const rpc = createLocalRpc(answer, { chainName, fetch: localFetch(answer) })
  const items = itemsOfNodes({ parts, rpc, stateRootHash: chain.stateRootHash(), concurrency: 2 })
  return { items, parts }
}

const countOf = (feedId: string): ItemRequest => {
  const request = counts.get(feedId)
  if (request === undefined) throw new Error(`${feedId} was not asked for`)
  return request
}

const findOne = async (items: ReadItems, request: ItemRequest, presence: Presence): Promise<unknown> =>
  (await Array.fromAsync(items([request], presence)))[0]

const refusing: AnswerRpc = (method, params) =>
  method === 'state_get_trie'
    ? { error: { code: -32019, message: 'disabled' } }
    : chain.answer(method, params)

const hiding: AnswerRpc = (method, params) =>
  method === 'state_get_dictionary_item'
    ? { error: { code: -32003, message: 'Query failed', data: 'value was not found in the global state' } }
    : chain.answer(method, params)

describe('a value that may be absent', () => {
  test('default: a walk down the trie shows it as absent, and the file keeps the elements', async () => {
    const opened = await open('walk', chain.answer)
    expect(await findOne(opened.items, countOf('EMPTY.FEED'), 'decided')).toBeNull()
    const path = join(folder.path, 'walk.jsonl')
    await opened.parts.finish(path)
    using again = new ProofFile(path)
    const offline = itemsInFile(again, chain.stateRootHash())
    expect(await findOne(offline, countOf('EMPTY.FEED'), 'decided')).toBeNull()
    expect(again.isAtEnd()).toBeTrue()
    expect(again.elements.size).toBeGreaterThan(1)
  })

  test('default: one that may stay open needs no elements', async () => {
    const opened = await open('open', refusing)
    expect(await findOne(opened.items, countOf('EMPTY.FEED'), 'optional')).toBeNull()
    const path = join(folder.path, 'open.jsonl')
    await opened.parts.finish(path)
    expect(readFileSync(path, 'utf8')).toBe('')
  })

  test('behavior: what a killed run has written suffices', async () => {
    const killed = await open('killed', chain.answer)
    expect(await findOne(killed.items, countOf(testFeedId(0)), 'decided')).toBe(1)
    expect(await findOne(killed.items, countOf('EMPTY.FEED'), 'decided')).toBeNull()
    const resumed = await resume('killed', refusing)
    expect(await findOne(resumed.items, countOf('EMPTY.FEED'), 'decided')).toBeNull()
  })

  test('error: nothing shows it', async () => {
    const opened = await open('refused', refusing)
    const error = await errorOf(findOne(opened.items, countOf('EMPTY.FEED'), 'decided'))
    expect(error.code).toBe('absence_not_proven')
    expect(error.message).toContain('AttestationRegistry count[EMPTY.FEED]')
  })

  test('error: a node hides a value that the trie has', async () => {
    const opened = await open('hidden', hiding)
    const error = await errorOf(findOne(opened.items, countOf(testFeedId(0)), 'decided'))
    expect(error.code).toBe('hidden_value')
  })

  test('error: offline, a missing element shows nothing', async () => {
    const empty = folder.write('empty.jsonl', '')
    using file = new ProofFile(empty)
    const offline = itemsInFile(file, chain.stateRootHash())
    expect(await findOne(offline, countOf('EMPTY.FEED'), 'optional')).toBeNull()
    const error = await errorOf(findOne(offline, countOf('EMPTY.FEED'), 'decided'))
    expect(error.message).toContain('AttestationRegistry count[EMPTY.FEED]: the file ends before the element')
  })
})
