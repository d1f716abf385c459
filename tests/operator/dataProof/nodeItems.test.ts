import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import { type ElementFile, openElementFile } from '../../../src/operator/dataProof/elementFile.ts'
import { createElementWriter } from '../../../src/operator/dataProof/elementWriter.ts'
import { createNodeItems } from '../../../src/operator/dataProof/nodeItems.ts'
import {
  createFileItems,
  type ItemRequest,
  type Presence,
  type ProvenItems,
} from '../../../src/operator/dataProof/provenItems.ts'
import { readDataSet } from '../../../src/operator/dataProof/readDataSet.ts'
import { disk } from '../../../src/operator/export/staging.ts'
import { createLocalRpc, localFetch } from '../../casper/localNode.ts'
import { errorOf } from '../../support/errorOf.ts'
import { createFolder, type Folder } from '../../support/folder.ts'
import { createRegistryChain, type RegistryChain, testFeedId } from '../../support/registryChain.ts'

let chain: RegistryChain
let folder: Folder
/** The requests for the numbers of values, by feed. */
const counts = new Map<string, ItemRequest>()

beforeAll(async () => {
  chain = await createRegistryChain({ feeds: 2 })
  chain.register('EMPTY.FEED')
  await chain.advance()
  folder = createFolder()
  using opened = open('all.jsonl', chain.answer)
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
const noting = (items: ProvenItems): ProvenItems => ({
  list: items.list,
  async *find(requests, presence) {
    for (const request of requests) {
      const [, feedId] = /count\[(.*)\]/.exec(request.what) ?? []
      if (feedId !== undefined) counts.set(feedId, request)
      yield* items.find([request], presence)
    }
  },
})

interface Opened extends Disposable {
  items: ProvenItems
  elements: ElementFile
  path: string
  flush(): Promise<void>
}

/** Opens an empty file that gets the elements from a node. */
function open(name: string, answer: AnswerRpc): Opened {
  const path = folder.write(name, '')
  const elements = openElementFile(path)
  const writer = createElementWriter(path, elements, disk)
  const { chainName } = chain
  const rpc = createLocalRpc(answer, { chainName, fetch: localFetch(answer) })
  const stateRootHash = chain.stateRootHash()
  const items = createNodeItems({ elements, writer, rpc, stateRootHash, concurrency: 2 })
  return { items, elements, path, flush: writer.flush, [Symbol.dispose]: () => elements[Symbol.dispose]() }
}

const countOf = (feedId: string): ItemRequest => {
  const request = counts.get(feedId)
  if (request === undefined) throw new Error(`${feedId} was not asked for`)
  return request
}

const findOne = async (
  items: ProvenItems,
  request: ItemRequest,
  presence: Exclude<Presence, 'listed'>,
): Promise<unknown> => (await Array.fromAsync(items.find([request], presence)))[0]

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
    using opened = open('walk.jsonl', chain.answer)
    expect(await findOne(opened.items, countOf('EMPTY.FEED'), 'decided')).toBeNull()
    expect(opened.elements.size()).toBeGreaterThan(1)
    await opened.flush()
    using again = openElementFile(opened.path)
    const offline = createFileItems(again, chain.stateRootHash())
    expect(await findOne(offline, countOf('EMPTY.FEED'), 'decided')).toBeNull()
    expect(again.isAtEnd()).toBeTrue()
  })

  test('default: one that may stay open needs no elements', async () => {
    using opened = open('open.jsonl', refusing)
    expect(await findOne(opened.items, countOf('EMPTY.FEED'), 'optional')).toBeNull()
    expect(opened.elements.size()).toBe(0)
  })

  test('behavior: elements that are already in the file suffice', async () => {
    using opened = open('known.jsonl', refusing)
    expect(await findOne(opened.items, countOf(testFeedId(0)), 'decided')).toBe(1)
    const absent = findOne(opened.items, countOf('EMPTY.FEED'), 'decided')
    const outcome: unknown = await absent.catch(({ code }) => code)
    // Whether the path of one shows the other depends on their keys.
    expect(outcome === null || outcome === 'absence_not_proven').toBeTrue()
  })

  test('error: nothing shows it', async () => {
    using opened = open('refused.jsonl', refusing)
    const error = await errorOf(findOne(opened.items, countOf('EMPTY.FEED'), 'decided'))
    expect(error.code).toBe('absence_not_proven')
    expect(error.message).toContain('AttestationRegistry count[EMPTY.FEED]')
  })

  test('error: a node hides a value that the trie has', async () => {
    using opened = open('hidden.jsonl', hiding)
    const error = await errorOf(findOne(opened.items, countOf(testFeedId(0)), 'decided'))
    expect(error.code).toBe('hidden_value')
  })

  test('error: offline, a missing element shows nothing', async () => {
    const empty = folder.write('empty.jsonl', '')
    using elements = openElementFile(empty)
    const offline = createFileItems(elements, chain.stateRootHash())
    expect(await findOne(offline, countOf('EMPTY.FEED'), 'optional')).toBeNull()
    const error = await errorOf(findOne(offline, countOf('EMPTY.FEED'), 'decided'))
    expect(error.message).toContain('AttestationRegistry count[EMPTY.FEED]: the file ends before the element')
  })
})
