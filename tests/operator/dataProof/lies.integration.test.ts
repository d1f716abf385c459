import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalRpc, localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { createRandom } from '@wattfeed/testing/random'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { itemsOfNodes } from '../../../src/operator/dataProof/nodeItems.ts'
import { PROOF_START } from '../../../src/operator/dataProof/proofFile.ts'
import { ProofParts } from '../../../src/operator/dataProof/proofParts.ts'
import type { ItemRequest, ReadItems } from '../../../src/operator/dataProof/provenItems.ts'
import { readDataSet } from '../../../src/operator/dataProof/readDataSet.ts'
import type { Manifest } from '../../../src/operator/export/manifest.ts'
import { manifestOf } from '../export/exported.ts'
import { checkProven, exportProven, proofPath } from './provenData.ts'

let chain: RegistryChain
let folder: Folder
/** A data set before the newest block. */
let older: string
let out: string
/** The lines of the newest proof. */
let lines: string[]
let olderLines: string[]
/** Number of lines before the elements. */
let start: number

const readLines = (out: string): string[] => readFileSync(proofPath(out), 'utf8').trimEnd().split('\n')

beforeAll(async () => {
  chain = await createRegistryChain({ feeds: 2 })
  for (let index = 0; index < 10; index++) chain.attest(testFeedId(index % 2), { amount: BigInt(index) })
  chain.register('EMPTY.FEED')
  await chain.advance()
  folder = createFolder()
  older = join(folder.path, 'older')
  out = join(folder.path, 'data')
  await exportProven(chain, older, { format: 'csv' })
  chain.attest(testFeedId(0), { amount: 99n })
  await chain.advance()
  await exportProven(chain, out, { format: 'csv' })
  lines = readLines(out)
  olderLines = readLines(older)
  start = lines.findIndex((line) => line.startsWith('"'))
})

afterAll(() => folder[Symbol.dispose]())

/** Checks other lines without a data set beside them. Returns the broken link and its rule, or null if they are proven. */
async function refusal(
  changed: readonly string[] | string,
  trust: Parameters<typeof checkProven>[2] = {},
): Promise<string | null> {
  const path = folder.write('lie.jsonl', typeof changed === 'string' ? changed : `${changed.join('\n')}\n`)
  const { dataSet, links } = await checkProven(chain, path, trust)
  if (dataSet !== null) return null
  const last = links.at(-1)
  expect(last?.holds).toBeFalse()
  return `${last?.link}: ${last?.detail}`
}

describe('a proof of a data set that lies', () => {
  test('default: the truth is proven', async () => {
    expect(await refusal(lines)).toBeNull()
    expect(await refusal(olderLines)).toBeNull()
  })

  test('error: any one element is missing: the error names the value or event', async () => {
    const named = new Set<string>()
    let refused: string | null = null
    for (let line = start; line < lines.length; line++) {
      refused = await refusal(lines.toSpliced(line, 1))
      expect(refused).toMatch(/the element [0-9a-f]{64} on its path|is not part of the proof/)
      named.add(refused?.split(': ').at(-2) ?? '')
    }
    expect(refused).toMatch(
      /^AttestationRegistry __events: AttestationRegistry __events\[12\]: the file ends before the element/,
    )
    for (const index of [0, 5, 6])
      expect(named).toContain(`AttestationRegistry history[${testFeedId(0)}#${index}]`)
    for (const index of [0, 2]) expect(named).toContain(`FeedRegistry __events[${index}]`)
    expect(named).toContain('FeedRegistry ids[2]')
    expect(named).toContain(`FeedRegistry feeds[EMPTY.FEED]`)
  })

  test('error: two elements change places', async () => {
    for (let line = start; line + 1 < lines.length; line++) {
      const [one = '', other = ''] = lines.slice(line)
      expect(await refusal(lines.toSpliced(line, 2, other, one))).not.toBeNull()
    }
  })

  test('error: an element is repeated or follows the end', async () => {
    for (let line = start; line < lines.length; line += 7)
      expect(await refusal(lines.toSpliced(line, 0, lines[line] ?? ''))).not.toBeNull()
    expect(await refusal([...lines, lines.at(-1) ?? ''])).toBe(
      `end of the file: line ${lines.length + 1} is not part of the proof`,
    )
  })

  test('error: an element has another byte', async () => {
    const random = createRandom(7)
    for (let round = 0; round < 150; round++) {
      const line = start + Math.floor(random() * (lines.length - start))
      const bytes = Uint8Array.fromBase64(JSON.parse(lines[line] ?? ''))
      const at = Math.floor(random() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255))
      expect(await refusal(lines.with(line, `"${bytes.toBase64()}"`))).not.toBeNull()
    }
  })

  test('error: the file is cut off anywhere', async () => {
    const text = `${lines.join('\n')}\n`
    const from = lines.slice(0, start).join('\n').length + 1
    const random = createRandom(8)
    for (let round = 0; round < 100; round++) {
      const cut = text.slice(0, from + Math.floor(random() * (text.length - from)))
      expect(await refusal(cut)).toMatch(/is cut off|the file ends before/)
    }
  })

  test('error: a line is not an element', async () => {
    for (const line of ['', '{}', '"not base64!"', '""', '"AAAA"', 'null', '\0'])
      expect(await refusal(lines.with(start + 3, line))).not.toBeNull()
  })

  test('error: a line is huge', async () => {
    const huge = `"${'A'.repeat(17 * 1024 * 1024)}"`
    for (const changed of [lines.with(start + 3, huge), [...lines.slice(0, start + 3), huge].join('\n')])
      expect(await refusal(changed)).toContain(`line ${start + 4} is longer than 16777216 bytes`)
  })

  test('error: elements of another block', async () => {
    const header = lines.slice(0, start)
    expect(await refusal([...header, ...olderLines.slice(start)])).toContain('the element')
    expect(await refusal([...olderLines.slice(0, start), ...lines.slice(start)])).toContain('the element')
  })

  test('error: another chain, or another registry', async () => {
    expect(await refusal(lines, { chainName: 'other' })).toStartWith('registries: ')
    const [feeds, values] = [chain.feedRegistryPackageHash, chain.attestationRegistryPackageHash]
    expect(await refusal(lines, { feedRegistryPackageHash: values })).toStartWith('registries: ')
    // The header names the registries that the user trusts, but the elements are of others.
    const swap = (text: string): string =>
      text.replaceAll(/"(feed|attestation)_registry_package_hash":"[0-9a-f]{64}"/g, (_, name) => {
        const hash = name === 'feed' ? values : feeds
        return `"${name}_registry_package_hash":"${hash.slice('hash-'.length)}"`
      })
    const swapped = { feedRegistryPackageHash: values, attestationRegistryPackageHash: feeds }
    expect(await refusal(lines.with(0, swap(lines[0] ?? '')), swapped)).toStartWith('FeedRegistry package: ')
  })

  test('error: the block is not final, or does not follow from the trusted block', async () => {
    const first = JSON.parse(lines[0] ?? '')
    const unsigned = { ...first, block: { ...first.block, proofs: [] } }
    expect(await refusal(lines.with(0, JSON.stringify(unsigned)))).toContain('finality signatures')
    const otherRoot = structuredClone(first)
    otherRoot.block.header.state_root_hash = '00'.repeat(32)
    expect(await refusal(lines.with(0, JSON.stringify(otherRoot)))).toStartWith('block: ')
    expect(await refusal(lines, { trustedBlockHash: '00'.repeat(32) })).toStartWith('trusted block: ')
    expect(await refusal(lines, { maxAgeMs: 1 })).toStartWith('age: ')
  })

  test('error: the blocks are huge', async () => {
    const first = JSON.parse(lines[0] ?? '')
    const block = JSON.stringify({ ...first.block, padding: 'A'.repeat(15 * 1024 * 1024) })
    const many = [JSON.stringify({ ...first, switch_blocks: 5 }), ...Array<string>(5).fill(block)]
    expect((await errorOf(refusal(many))).message).toContain('its blocks have more than 67108864 bytes')
  })

  test('error: a file that is not such a proof is unreadable', async () => {
    const first = JSON.parse(lines[0] ?? '')
    const unreadable: (string | string[])[] = [
      '',
      'null\n',
      lines.with(0, JSON.stringify({ ...first, format: 2 })),
      lines.with(0, JSON.stringify({ ...first, kind: 'other' })),
      lines.with(0, JSON.stringify({ ...first, switch_blocks: 1e9 })),
      lines.with(0, JSON.stringify({ ...first, block: null })),
      lines.with(0, `${PROOF_START},"format":${'['.repeat(1_000_000)}`),
      lines.slice(0, start - 1),
      lines.toSpliced(start - 1, 1),
    ]
    for (const changed of unreadable) expect((await errorOf(refusal(changed))).code).toBe('decode')
  })
})

/** Writes a proof whose author hides every value of a feed. */
async function hideValues(feedId: string): Promise<string> {
  const header = `${lines.slice(0, start).join('\n')}\n`
  const parts = await ProofParts.begin(join(folder.path, 'hidden'), { header, purpose: '' })
  const { chainName, answer } = chain
  const rpc = createLocalRpc(answer, { chainName, fetch: localFetch(answer) })
  const stateRootHash = chain.stateRootHash()
  const honest = itemsOfNodes({ parts, rpc, stateRootHash, concurrency: 4 })
  const isHidden = ({ what }: ItemRequest): boolean => what === `AttestationRegistry count[${feedId}]`
  const items: ReadItems = async function* (requests, presence) {
    if (presence === 'listed') yield* honest(requests, presence)
    else
      for (const request of requests)
        if (isHidden(request)) yield null
        else yield* honest([request], presence)
  }
  await readDataSet({
    items,
    packages: {
      FeedRegistry: chain.feedRegistryPackageHash.slice('hash-'.length),
      AttestationRegistry: chain.attestationRegistryPackageHash.slice('hash-'.length),
    },
    step: (_, work) => work(),
    onRead: () => {},
  })
  const path = join(folder.path, 'hidden.jsonl')
  await parts.finish(path)
  return path
}

describe('a proof that hides a feed’s values', () => {
  test('error: the counts of the other feeds do not add up', async () => {
    const { dataSet, links } = await checkProven(chain, await hideValues(testFeedId(1)))
    expect(dataSet).toBeNull()
    expect(links.at(-1)).toMatchObject({ link: 'feeds without a value', holds: false })
    expect(links.at(-1)?.detail).toStartWith(
      `AttestationRegistry count[${testFeedId(1)}]: the file ends before`,
    )
  })

  test('behavior: hiding nothing, the same code writes the same file', async () => {
    const path = await hideValues('another feed')
    expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toEqual(lines)
  })
})

describe('rows that differ from the proof', () => {
  const other = (): string => join(folder.path, 'other')

  /** Changes a copy of the data set, and returns the broken link and its rule. */
  async function refusalOf(
    change: (folder: string, manifest: Manifest) => Manifest | undefined,
  ): Promise<string> {
    rmSync(other(), { recursive: true, force: true })
    cpSync(out, other(), { recursive: true })
    const changed = change(other(), manifestOf(other()))
    if (changed !== undefined) writeFileSync(join(other(), '_manifest.json'), JSON.stringify(changed))
    const { links } = await checkProven(chain, proofPath(other()))
    const last = links.at(-1)
    expect(last?.holds).toBeFalse()
    return `${last?.link}: ${last?.detail}`
  }

  /** Rewrites the first part, and its hash in the manifest. */
  const rewriting = (edit: (lines: string[]) => string[]) => (folder: string, manifest: Manifest) => {
    const file = manifest.feeds[0]?.files[0]
    if (file === undefined) throw new Error('there is a file')
    const path = join(folder, file.path)
    const content = edit(readFileSync(path, 'utf8').split('\r\n')).join('\r\n')
    writeFileSync(path, content)
    Object.assign(file, { sha256: hash('sha256', content), bytes: content.length })
    return manifest
  }

  test('error: a row has another value, is missing, is repeated, or moved', async () => {
    const path = `feed_id=${testFeedId(0)}/part-000000000000.csv`
    const edits: ((lines: string[]) => string[])[] = [
      (lines) => lines.with(3, (lines[3] ?? '').replace(/,[^,]*$/, ',2026-01-01T00:00:00.000Z')),
      (lines) => lines.toSpliced(3, 1),
      (lines) => lines.toSpliced(3, 0, lines[2] ?? ''),
      (lines) => lines.with(3, lines[4] ?? '').with(4, lines[3] ?? ''),
    ]
    for (const edit of edits)
      expect(await refusalOf(rewriting(edit))).toBe(`rows: row 2 in ${path} differs from the proven value`)
    expect(await refusalOf(rewriting((lines) => lines.slice(0, -2).concat('')))).toBe(
      `rows: row 6 in ${path} differs from the proven value`,
    )
    expect(await refusalOf(rewriting((lines) => lines.with(0, 'a,b')))).toContain('differs from the proven')
  })

  test('error: a Parquet file has another value', async () => {
    using folder = createFolder()
    const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')]
    await exportProven(chain, one)
    const renamed = await createRegistryChain({ feeds: 2 })
    for (let index = 0; index < 11; index++) renamed.attest(testFeedId(index % 2), { amount: 5n })
    await renamed.advance()
    await exportProven(renamed, two)
    const manifest = manifestOf(one)
    const file = manifest.feeds[0]?.files[0]
    if (file === undefined) throw new Error('there is a file')
    for (const content of [readFileSync(join(two, file.path)), Buffer.from('not parquet')]) {
      writeFileSync(join(one, file.path), content)
      Object.assign(file, { sha256: hash('sha256', content), bytes: content.length })
      writeFileSync(join(one, '_manifest.json'), JSON.stringify(manifest))
      const last = (await checkProven(chain, proofPath(one))).links.at(-1)
      expect(last).toMatchObject({ link: 'rows', holds: false })
      expect(last?.detail).toMatch(/differs from the proven value|cannot be read as parquet/)
    }
  })

  test('error: the data set has an older layout, whose rows cannot be compared', async () => {
    for (const layout of [1, 2])
      expect(
        await refusalOf((_, { feeds, ...manifest }) => ({
          ...manifest,
          layout,
          feeds: feeds.map(({ route, ...feed }) => feed),
        })),
      ).toBe(
        `data set: it has the older layout ${layout}, whose rows date periods otherwise: run the export again`,
      )
  })

  test('error: the manifest differs from the proven facts', async () => {
    const changes: [string, (manifest: Manifest) => Manifest][] = [
      ['state_root_hash', (manifest) => ({ ...manifest, state_root_hash: '00'.repeat(32) })],
      ['version', (manifest) => ({ ...manifest, version: 'f1.a1' })],
      ['chain_name', (manifest) => ({ ...manifest, chain_name: 'other' })],
      ['selection', (manifest) => ({ ...manifest, selection: [testFeedId(0)] })],
      ['rows', (manifest) => ({ ...manifest, rows: 12 })],
      ['feeds', (manifest) => ({ ...manifest, feeds: manifest.feeds.slice(0, -1) })],
      ['"feed_id" of', (manifest) => ({ ...manifest, feeds: manifest.feeds.toReversed() })],
      [
        '"decimals" of',
        (manifest) => ({ ...manifest, feeds: manifest.feeds.map((feed) => ({ ...feed, decimals: 5 })) }),
      ],
      [
        '"route" of',
        (manifest) => ({ ...manifest, feeds: manifest.feeds.map((feed) => ({ ...feed, route: 'other' })) }),
      ],
      ['"to" of', (manifest) => ({ ...manifest, feeds: manifest.feeds.map((feed) => ({ ...feed, to: 3 })) })],
    ]
    for (const [name, change] of changes) {
      const refused = await refusalOf((_, manifest) => change(manifest))
      expect(refused).toStartWith('data set: ')
      expect(refused).toContain(name)
    }
    expect(await refusalOf((folder) => void writeFileSync(join(folder, '_manifest.json'), '{}'))).toStartWith(
      'manifest: ',
    )
  })

  test('error: a file is missing, extra, or not in the manifest', async () => {
    const part = `feed_id=${testFeedId(1)}/part-000000000000.csv`
    expect(await refusalOf((folder) => void rmSync(join(folder, part)))).toBe(`files: missing: ${part}`)
    const copy = part.replace('000000.csv', '000009.csv')
    expect(await refusalOf((folder) => void cpSync(join(folder, part), join(folder, copy)))).toBe(
      `files: extra: ${copy}`,
    )
    expect(
      await refusalOf((folder, manifest) => {
        rmSync(join(folder, part))
        const feeds = manifest.feeds.map((feed) =>
          feed.feed_id === testFeedId(1) ? { ...feed, files: [] } : feed,
        )
        return { ...manifest, feeds }
      }),
    ).toBe(`rows: ${testFeedId(1)} has 0 of 6 rows`)
  })

  test('error: the proof of another block lies beside the rows', async () => {
    const refused = await refusalOf((folder) => void cpSync(proofPath(older), proofPath(folder)))
    expect(refused).toStartWith('data set: its "state_root_hash" is')
  })
})
