import { describe, expect, test } from 'bun:test'
import { hash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { errorOf } from '@wattfeed/testing/errorOf'
import { createFolder } from '@wattfeed/testing/folder'
import { createRandom } from '@wattfeed/testing/random'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import { parquetMetadata } from 'hyparquet'
import { callsOf, localClient } from 'wattfeed/testing/localClient'
import { createRegistryChain, type RegistryChain, testFeedId } from 'wattfeed/testing/registryChain'
import { createVerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { createClient } from '../../../packages/wattfeed/src/client/createClient.ts'
import { checkExport, isAsWritten } from '../../../src/operator/export/checkExport.ts'
import { formatExport } from '../../../src/operator/export/exportReport.ts'
import { bunWithProtocol } from '../../support/bunWithProtocol.ts'
import { type FileStep, killedAt } from '../../support/killedRun.ts'
import { runToEnd } from '../../support/program.ts'
import { createOut, exportFrom, filesOf, manifestOf, modelTable, readTable } from './exported.ts'

const A = testFeedId(0)

/** Attests this number of values of three feeds, with revisions, in some order. */
async function attestSome(chain: RegistryChain, count: number, seed = count): Promise<void> {
  const random = createRandom(seed)
  const pick = (below: number) => Math.floor(random() * below)
  for (let index = 0; index < count; index++)
    chain.attest(testFeedId(index % 3), {
      period: 20_261_001 + pick(9),
      amount: BigInt(pick(3)) * 10n ** BigInt(pick(30)),
    })
  await chain.advance()
}

const createChain = async (values = 40): Promise<RegistryChain> => {
  const chain = await createRegistryChain({ feeds: 3 })
  await attestSome(chain, values)
  return chain
}

const chain = await createChain()
/** A copy that a test may change. */
const forkChain = (): RegistryChain => chain.fork()

test('behavior: the manifest has invisible and bidirectional characters of ids as escapes', async () => {
  using out = createOut()
  const id = 'a\u202e\u3164\u{e0041}'
  const hostile = await createRegistryChain({ feeds: 0 })
  hostile.register(id)
  hostile.attest(id, { period: 20_261_001, amount: 1n })
  await hostile.advance()
  await exportFrom(hostile, out.path)
  expect(readFileSync(join(out.path, '_manifest.json'), 'utf8')).not.toMatch(/[\u202e\u3164\u{e0041}]/u)
  expect(manifestOf(out.path).feeds.map(({ feed_id }) => feed_id)).toEqual([id])
})

const modeOf = (path: string): number => statSync(path).mode & 0o777

/** When every part is finished, and the next manifest is not. */
const untilCommit = ({ operation, path }: FileStep): boolean =>
  operation === 'write' && path.includes('_manifest.json')

describe('export', () => {
  test.each(['parquet', 'csv'] as const)(
    'default: every value as %s, in files that the manifest names',
    async (format) => {
      using out = createOut()
      const report = await exportFrom(chain, out.path, { format, rowsPerFile: 7 })
      const { client } = localClient(chain)
      expect(await readTable(out.path)).toEqual(await modelTable(client))
      const { feeds, newest, ...manifest } = manifestOf(out.path)
      const files = feeds.flatMap(({ files }) => files)
      expect(filesOf(out.path)).toEqual(['_manifest.json', ...files.map(({ path }) => path)].sort())
      for (const path of filesOf(out.path))
        expect(modeOf(join(out.path, path))).toBe(0o666 & ~process.umask())
      for (const { path, sha256, bytes } of files) {
        const content = readFileSync(join(out.path, path))
        expect([hash('sha256', content), content.length]).toEqual([sha256, bytes])
      }
      const snapshot = await client.snapshot()
      expect(manifest).toEqual({
        kind: 'wattfeed export',
        layout: 3,
        version: await snapshot.getLogLengths(),
        state_root_hash: snapshot.stateRootHash,
        chain_name: chain.chainName,
        registries: {
          FeedRegistry: chain.feedRegistryPackageHash.slice(5),
          AttestationRegistry: chain.attestationRegistryPackageHash.slice(5),
        },
        verification: null,
        format,
        selection: null,
        since: null,
        rows: 43,
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
      })
      expect(newest?.attested_at).toBe(Math.max(...chain.readings().map(({ updated_at }) => updated_at)))
      expect(feeds.map(({ feed_id, unit }) => [feed_id, unit])).toEqual(
        [0, 1, 2].map((at) => [testFeedId(at), '$/unit']),
      )
      expect(files.every(({ rows }) => rows <= 7)).toBeTrue()
      expect(report).toMatchObject({ rows: 43, new_rows: 43, files: files.length, rewritten: [] })
      expect(formatExport(report)).toStartWith(
        `43 new values in ${files.length} new files; 43 values of 3 feeds in`,
      )
    },
  )

  test.each(['parquet', 'csv'] as const)(
    'behavior: a second run reads and writes only new values (%s)',
    async (format) => {
      using out = createOut()
      const chain = forkChain()
      await exportFrom(chain, out.path, { format })
      const before = manifestOf(out.path)
      await attestSome(chain, 12)
      const { client, calls } = localClient(chain)
      const count = await callsOf(calls, async () => {
        const report = await exportFrom(chain, out.path, { client, format })
        expect(report).toMatchObject({ rows: 55, new_rows: 12, new_files: 3, rewritten: [] })
      })
      // Metadata and count of three feeds, their ids, the registries; not the 43 values.
      expect(count).toBeLessThan(12 + 30)
      expect(await readTable(out.path)).toEqual(await modelTable(client))
      const old = before.feeds.flatMap(({ files }) => files)
      expect(manifestOf(out.path).feeds.flatMap(({ files }) => files)).toEqual(expect.arrayContaining(old))
      expect(await exportFrom(chain, out.path, { format })).toMatchObject({
        new_rows: 0,
        new_files: 0,
        rows: 55,
      })
    },
  )

  test.each(['csv', 'parquet'] as const)(
    'behavior: roots of a dataset are counted from files and from the chain: %s',
    async (format) => {
      using out = createOut()
      using news = createOut()
      const chain = forkChain()
      const id = 'EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY'
      chain.register(id, { unit: 'values', decimals: 0, frequency: 'weekly' })
      const attest = async (...roots: string[]) => {
        for (const root of roots)
          chain.attest(id, { period: 20_261_120, amount: 9n, source_hash: root.repeat(32) })
        await chain.advance()
      }
      await attest('ab', 'cd', 'ef')
      await exportFrom(chain, out.path, { format })
      await attest('ef', 'ab')
      const since = join(out.path, '_manifest.json')
      const revisions = async (folder: string) =>
        (await readTable(folder))[id]?.map(({ revision }) => revision)
      await exportFrom(chain, news.path, { format, since })
      expect([await revisions(out.path), await revisions(news.path)]).toEqual([
        [0, 1, 2],
        [2, 3],
      ])
      // Without the older files, the earlier values come from the chain.
      rmSync(join(out.path, `feed_id=${id}`), { recursive: true })
      rmSync(news.path, { recursive: true })
      await exportFrom(chain, news.path, { format, since })
      expect(await revisions(news.path)).toEqual([2, 3])
    },
  )

  test('behavior: since another manifest, only new values, with revisions counted from the start', async () => {
    using out = createOut()
    using news = createOut()
    const chain = forkChain()
    await exportFrom(chain, out.path, { rowsPerFile: 10 })
    await attestSome(chain, 12)
    const since = join(out.path, '_manifest.json')
    const lines: string[] = []
    const report = await exportFrom(chain, news.path, { since, milestone: (line) => lines.push(line) })
    expect(report).toMatchObject({ rows: 12, new_rows: 12 })
    expect(lines.some((line) => line.includes('read again'))).toBeFalse()
    const { client } = localClient(chain)
    const [older, newer, model] = [
      await readTable(out.path),
      await readTable(news.path),
      await modelTable(client),
    ]
    for (const [id, rows] of Object.entries(model))
      expect([...(older[id] ?? []), ...(newer[id] ?? [])]).toEqual(rows)
    const base = manifestOf(out.path)
    expect(manifestOf(news.path).since).toEqual({
      sha256: hash('sha256', readFileSync(since)),
      version: base.version,
      state_root_hash: base.state_root_hash,
    })
    // Without the older files, the earlier values come from the chain.
    for (const folder of base.feeds.map(({ folder }) => folder))
      rmSync(join(out.path, folder), { recursive: true })
    rmSync(news.path, { recursive: true })
    const again = await exportFrom(chain, news.path, { since })
    expect(again).toMatchObject({ rows: 12 })
    expect(await readTable(news.path)).toEqual(newer)
    // After an update, it still omits the same values.
    await attestSome(chain, 5)
    expect(await exportFrom(chain, news.path)).toMatchObject({ rows: 17, new_rows: 5 })
    const itself = join(news.path, '_manifest.json')
    expect(await exportFrom(chain, news.path, { since: itself })).toMatchObject({ rows: 17, new_rows: 0 })
  })

  test('behavior: a feed whose decimals changed is written again, the others are not', async () => {
    using out = createOut()
    using news = createOut()
    const chain = forkChain()
    await exportFrom(chain, out.path, { rowsPerFile: 7 })
    using older = createOut()
    await exportFrom(chain, older.path)
    chain.register(A, { decimals: 2 })
    chain.register(testFeedId(1), { unit: 'another unit' })
    await attestSome(chain, 3)
    const report = await exportFrom(chain, out.path)
    expect(report.rewritten).toEqual([A])
    expect(formatExport(report)).toContain(`have changed: ${A}`)
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
    expect(manifestOf(out.path).feeds.map(({ decimals, unit }) => [decimals, unit])).toEqual([
      [2, '$/unit'],
      [6, 'another unit'],
      [6, '$/unit'],
    ])
    await exportFrom(chain, news.path, { since: join(older.path, '_manifest.json') })
    expect(manifestOf(news.path).feeds.map(({ from, replaces }) => [from > 0, replaces])).toEqual([
      [false, true],
      [true, false],
      [true, false],
    ])
  })

  test('behavior: a feed whose route changed is written again, because its periods may cover other days', async () => {
    using out = createOut()
    const chain = await createRegistryChain({ feeds: 2 })
    const weekly = (route: string) => chain.register('WEEKS', { frequency: 'weekly', route })
    weekly('petroleum/pri/gnd')
    await chain.advance()
    chain.attest('WEEKS', { period: 20_261_123 })
    await chain.advance()
    await exportFrom(chain, out.path, { format: 'csv' })
    const bounds = () => {
      const path = manifestOf(out.path).feeds.find(({ feed_id }) => feed_id === 'WEEKS')?.files[0]?.path ?? ''
      const [, row = ''] = readFileSync(join(out.path, path), 'utf8').split('\r\n')
      return row.split(',').slice(2, 4)
    }
    expect(bounds()).toEqual(['2026-11-23T00:00:00.000Z', '2026-11-23T00:00:00.000Z'])
    weekly('natural-gas/stor/wkly')
    await chain.advance()
    const report = await exportFrom(chain, out.path, { format: 'csv' })
    expect([report.rewritten, report.new_rows]).toEqual([['WEEKS'], 1])
    expect(bounds()).toEqual(['2026-11-17T00:00:00.000Z', '2026-11-23T00:00:00.000Z'])
  })

  test.each([
    ['parquet', 1],
    ['csv', 2],
  ] as const)(
    'behavior: a data set (%s) of layout %i is rewritten whole, and values since it start from the first',
    async (format, layout) => {
      using out = createOut()
      using news = createOut()
      const chain = forkChain()
      await exportFrom(chain, out.path, { format, rowsPerFile: 7 })
      const manifest = manifestOf(out.path)
      const old = { ...manifest, layout, feeds: manifest.feeds.map(({ route, ...feed }) => feed) }
      writeFileSync(join(out.path, '_manifest.json'), JSON.stringify(old))
      await attestSome(chain, 6)
      const since = join(out.path, '_manifest.json')
      await exportFrom(chain, news.path, { format, since })
      expect(manifestOf(news.path).feeds.map(({ from, replaces }) => [from, replaces])).toEqual(
        [0, 1, 2].map(() => [0, true]),
      )
      const lines: string[] = []
      const report = await exportFrom(chain, out.path, { format, milestone: (line) => lines.push(line) })
      expect(lines[0]).toBe(`${since} has the older layout ${layout}: every file is rewritten`)
      expect(report).toMatchObject({ rows: 49, new_rows: 49, rewritten: { length: 3 } })
      expect(formatExport(report)).toContain(
        'rewritten, because decimals, route, frequency, files or the layout',
      )
      expect(manifestOf(out.path)).toMatchObject({ layout: 3, rows: 49 })
      expect(filesOf(out.path)).toHaveLength(4)
      expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
      expect(await exportFrom(chain, out.path, { format })).toMatchObject({ new_rows: 0, rewritten: [] })
    },
  )

  test('behavior: hours and days share a table, in which periods start at a time', async () => {
    using out = createOut()
    const chain = forkChain()
    chain.register('HOURS', { frequency: 'hourly' })
    await chain.advance()
    chain.attest('HOURS', { period: 1_795_150_800 })
    await chain.advance()
    await exportFrom(chain, out.path)
    const types = manifestOf(out.path).feeds.map(({ files }) => {
      const { buffer } = new Uint8Array(readFileSync(join(out.path, files[0]?.path ?? '')))
      return parquetMetadata(buffer).schema.find(({ name }) => name === 'period_start')?.converted_type
    })
    expect(types).toEqual(Array.from({ length: 4 }, () => 'TIMESTAMP_MILLIS'))
  })

  test('behavior: a file that is gone or cut is exported again with its feed', async () => {
    using out = createOut()
    await exportFrom(chain, out.path, { rowsPerFile: 7 })
    const [first, second] = manifestOf(out.path).feeds.map(({ files }) => files[0]?.path ?? '')
    rmSync(join(out.path, first ?? ''))
    writeFileSync(join(out.path, second ?? ''), 'x')
    expect((await exportFrom(chain, out.path)).rewritten).toEqual([A, testFeedId(1)])
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
  })

  test('behavior: only the feeds that are requested; a later run keeps to them', async () => {
    using out = createOut()
    await exportFrom(chain, out.path, { feeds: [A] })
    expect(Object.keys(await readTable(out.path))).toEqual([A])
    expect(await exportFrom(chain, out.path)).toMatchObject({ feeds: 1, new_rows: 0 })
    const error = await errorOf(exportFrom(chain, out.path, { feeds: [testFeedId(1)] }))
    expect(error).toMatchObject({ code: 'data_set' })
    expect(await errorOf(exportFrom(chain, `${out.path}-2`, { feeds: ['NOPE'] }))).toMatchObject({
      code: 'feed_not_registered',
    })
    expect(existsSync(`${out.path}-2`)).toBe(false)
  })

  test('behavior: ids of any kind, a feed without values, and rows of any size', async () => {
    using out = createOut()
    const chain = await createRegistryChain()
    const ids = [
      'a/b',
      'A/B',
      'é😀',
      'E\u0301',
      '..',
      '.',
      '=1+1',
      '%41',
      'A',
      'a',
      'A.',
      'feed id',
      '\\',
      'NULL',
    ]
    for (const id of ids) chain.register(id)
    chain.register('EMPTY')
    await chain.advance()
    for (const [at, id] of ids.entries())
      chain.attest(id, {
        period: at === 0 ? Number.MAX_SAFE_INTEGER : at,
        amount: 2n ** 512n - BigInt(at + 1),
        source_hash: '=cmd',
      })
    await chain.advance()
    await exportFrom(chain, out.path)
    const { client } = localClient(chain)
    expect(await readTable(out.path)).toEqual(await modelTable(client))
    const names = manifestOf(out.path).feeds.map(({ folder }) => folder.normalize().toLowerCase())
    expect(new Set(names).size).toBe(ids.length + 1)
    chain.attest('a/b', { period: Number.MAX_SAFE_INTEGER, amount: 1n })
    await chain.advance()
    expect(await exportFrom(chain, out.path)).toMatchObject({ new_rows: 1 })
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
  })

  test('error: the same registries on a chain started again are rejected, and nothing is changed', async () => {
    using out = createOut()
    await exportFrom(chain, out.path)
    const other = await createRegistryChain({ feeds: 3, startMs: 1_750_000_000_000 })
    await attestSome(other, 60)
    const before = manifestOf(out.path)
    const files = filesOf(out.path)
    const error = await errorOf(exportFrom(other, out.path))
    expect(error).toMatchObject({ code: 'export_chain', retryable: false })
    expect(String(error)).toContain('was exported from another chain')
    expect(
      await errorOf(exportFrom(other, `${out.path}-2`, { since: join(out.path, '_manifest.json') })),
    ).toMatchObject({
      code: 'export_chain',
    })
    const shorter = await createRegistryChain({ feeds: 3 })
    expect(await errorOf(exportFrom(shorter, out.path))).toMatchObject({
      code: 'export_chain',
      retryable: true,
    })
    const named = await createRegistryChain({ feeds: 3, chainName: 'other-net' })
    expect(String(await errorOf(exportFrom(named, out.path)))).toContain('was exported from other registries')
    expect([manifestOf(out.path), filesOf(out.path)]).toEqual([before, files])
  })

  test('error: a folder of other files, another format, and an invalid manifest', async () => {
    using out = createOut()
    using full = createOut()
    mkdirSync(full.path)
    writeFileSync(join(full.path, 'mine.txt'), '{}')
    await exportFrom(chain, out.path)
    const faults = await Promise.all([
      errorOf(exportFrom(chain, full.path)),
      errorOf(exportFrom(chain, out.path, { format: 'csv' })),
      errorOf(exportFrom(chain, `${out.path}-2`, { since: join(full.path, 'mine.txt') })),
      errorOf(exportFrom(chain, `${out.path}-2`, { since: join(full.path, 'nothing') })),
      errorOf(exportFrom(chain, out.path, { since: join(out.path, 'nothing') })),
    ])
    expect(
      faults.map((error) => (error instanceof Error ? error.message.replaceAll(/\/\S*\//g, '') : null)),
    ).toEqual([
      'data contains files but no _manifest.json; use an empty folder, or the folder of an export',
      '_manifest.json was exported with --format parquet, not --format csv; export to another folder, or with --format parquet',
      'mine.txt is not a manifest of an export: kind is missing: it must be "wattfeed export"; name the _manifest.json that an export wrote',
      'nothing does not exist; --since takes the _manifest.json of an export',
      'nothing does not exist; --since takes the _manifest.json of an export',
    ])
    expect(filesOf(full.path)).toEqual(['mine.txt'])
  })

  test('error: a node that claims more feeds than exist is not read further', async () => {
    using out = createOut()
    const at = await localClient(chain).client.snapshot()
    let asked = 0
    const snapshot = async () => ({
      ...at,
      // More values than an array can hold.
      feedCount: async () => 2 ** 32,
      feedIdAt(index: number) {
        asked++
        return at.feedIdAt(index)
      },
    })
    const error = await errorOf(exportFrom(chain, out.path, { client: { snapshot } }))
    expect(error).toMatchObject({ code: 'decode' })
    expect(asked).toBeLessThan(100)
    expect(filesOf(out.path)).toBeEmpty()
  })

  test('default: verified, and the manifest names block, level and trusted block', async () => {
    using out = createOut()
    await using network = await createVerifiedWorld()
    const trustedBlockHash = network.genesisHash
    const options = { ...network.network, verify: 'full', trustedBlockHash } as const
    const client = createClient({ ...options, rpcUrls: network.nodes.map(({ url }) => url) })
    const exported = { client, ...network.network, answer: () => Promise.reject(new Error('unused')) }
    await exportFrom(exported, out.path, { client, trustedBlockHash })
    const verification = (await client.snapshot()).verification
    expect(manifestOf(out.path).verification).toEqual({
      level: 'full',
      trusted_block_hashes: [trustedBlockHash],
      block_hash: verification?.blockHash ?? '',
      block_height: verification?.blockHeight ?? 0,
      block_timestamp: verification?.blockTimestamp ?? 0,
      era_id: verification?.eraId ?? 0,
      weight_signed: String(verification?.weightSigned),
      weight_total: String(verification?.weightTotal),
    })
    expect(await readTable(out.path)).toEqual(await modelTable(client))
    const trusting = createClient({ ...network.network, rpcUrls: network.nodes.map(({ url }) => url) })
    const error = await errorOf(exportFrom(exported, out.path, { client: trusting }))
    expect(String(error)).toContain('was exported with VERIFY=full, not VERIFY=off')
  })
})

describe('export that is killed', () => {
  test('behavior: at every step, and run again: nothing is lost, half-written or doubled', async () => {
    // Few values in small files, because each step takes two exports.
    const chain = await createChain(18)
    const { client } = localClient(chain)
    const later = chain.fork()
    later.register(A, { decimals: 3 })
    await attestSome(later, 9)
    const laterClient = localClient(later).client
    const [model, laterModel] = [await modelTable(client), await modelTable(laterClient)]
    let isKilled = true
    let kills = 0
    for (let step = 0; isKilled; step++) {
      using out = createOut()
      const run = () => exportFrom(chain, out.path, { client, rowsPerFile: 7 })
      isKilled = await killedAt(({ number }) => number === step, run)
      if (isKilled) kills++
      await run()
      expect(await readTable(out.path)).toEqual(model)
      expect(readdirSync(out.path).filter((name) => name.startsWith('.'))).toEqual([])
      expect(isAsWritten(await checkExport({ folder: out.path, progress: () => {} }))).toBeTrue()
    }
    expect(kills).toBeGreaterThan(20)
    // The second export changes, adds and removes files.
    isKilled = true
    for (let step = 0; isKilled; step++) {
      using out = createOut()
      await exportFrom(chain, out.path, { client, rowsPerFile: 3 })
      const run = (rowsPerFile: number) => exportFrom(later, out.path, { client: laterClient, rowsPerFile })
      isKilled = await killedAt(
        ({ number }) => number === step,
        () => run(5),
      )
      const { is_unfinished } = await checkExport({ folder: out.path, progress: () => {} })
      // Until its files are moved in, the data set is the old one.
      if (isKilled && !is_unfinished && manifestOf(out.path).rows === 21)
        expect(await readTable(out.path)).toEqual(model)
      await run(7)
      expect(await readTable(out.path)).toEqual(laterModel)
      expect(readdirSync(out.path).filter((name) => name.startsWith('.'))).toEqual([])
      expect(isAsWritten(await checkExport({ folder: out.path, progress: () => {} }))).toBeTrue()
    }
  })

  test('behavior: a finished part is not read again, unless chain or format differ', async () => {
    using out = createOut()
    const chain = forkChain()
    const { client, calls } = localClient(chain)
    const whole = await callsOf(calls, () => exportFrom(chain, `${out.path}-2`, { client, rowsPerFile: 15 }))
    await killedAt(untilCommit, () => exportFrom(chain, out.path, { client, rowsPerFile: 15 }))
    const lines: string[] = []
    const rest = await callsOf(calls, () =>
      exportFrom(chain, out.path, { client, rowsPerFile: 15, milestone: (line) => lines.push(line) }),
    )
    expect(whole - rest).toBeGreaterThanOrEqual(40)
    expect(lines).toContain('43 values found from an earlier run')
    rmSync(out.path, { recursive: true })
    await killedAt(untilCommit, () => exportFrom(chain, out.path))
    const other = await createRegistryChain({ feeds: 3, startMs: 1_750_000_000_000 })
    await attestSome(other, 60)
    await exportFrom(other, out.path, { format: 'csv' })
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(other).client))
    rmSync(out.path, { recursive: true })
    await killedAt(untilCommit, () => exportFrom(chain, out.path))
    await exportFrom(chain, out.path, { format: 'csv' })
    expect(filesOf(out.path).filter((path) => path.endsWith('.parquet'))).toEqual([])
    rmSync(out.path, { recursive: true })
    await killedAt(untilCommit, () => exportFrom(chain, out.path))
    await exportFrom(other, out.path)
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(other).client))
  })

  test('behavior: a part that was cut off, changed or not listed is not taken', async () => {
    const { client } = localClient(chain)
    const model = await modelTable(client)
    const run = (path: string, milestone = (_: string) => {}) =>
      exportFrom(chain, path, { client, rowsPerFile: 15, milestone })
    const spoil: ((part: string, list: string) => void)[] = [
      (part) => truncateSync(part, 10),
      (part) => rmSync(part),
      (_, list) => truncateSync(list, statSync(list).size - 5),
      (_, list) => rmSync(list),
    ]
    for (const act of spoil) {
      using out = createOut()
      await killedAt(untilCommit, () => run(out.path))
      const staging = join(out.path, '.export')
      const [part = ''] = filesOf(staging).filter((path) => path.endsWith('.parquet'))
      act(join(staging, part), join(staging, 'parts.json'))
      const lines: string[] = []
      await run(out.path, (line) => lines.push(line))
      expect(lines).not.toContain('43 values found from an earlier run')
      expect(await readTable(out.path)).toEqual(model)
    }
    // Kept by its size when the values are read, and refused by its hash when it is moved in.
    using out = createOut()
    await killedAt(untilCommit, () => run(out.path))
    const staging = join(out.path, '.export')
    const [part = ''] = filesOf(staging).filter((path) => path.endsWith('.parquet'))
    writeFileSync(join(staging, part), Buffer.alloc(statSync(join(staging, part)).size))
    await run(out.path)
    expect(await checkExport({ folder: out.path, progress: () => {} })).toMatchObject({ missing: [part] })
    expect((await run(out.path)).rewritten).toHaveLength(1)
    expect(await readTable(out.path)).toEqual(model)
  })
})

test('behavior: the parts that version 0.1.0 was moving when it was killed are read again', async () => {
  using out = createOut()
  const isMove = ({ operation, path }: FileStep) => operation === 'rename' && path.endsWith('.parquet')
  await killedAt(isMove, () => exportFrom(chain, out.path))
  const staging = join(out.path, '.export')
  for (const [name, path] of filesOf(staging)
    .filter((each) => each.endsWith('.parquet'))
    .entries())
    renameSync(join(staging, path), join(staging, String(name)))
  writeFileSync(join(staging, 'commit.json'), '{}')
  await exportFrom(chain, out.path)
  expect(isAsWritten(await checkExport({ folder: out.path, progress: () => {} }))).toBeTrue()
  expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
})

test.skipIf(!hasSmallDisks)(
  'error: a full disk is named, the data set stays, and the next run goes on',
  async () => {
    using folder = createFolder()
    const program = new URL('fullDisk.ts', import.meta.url).pathname
    const command = [...onSmallDisk(folder.path, '2m'), ...bunWithProtocol, program, folder.path]
    const { exitCode, stdout, stderr } = await runToEnd(command, {}, dirname(program))
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      filled: expect.stringContaining('ENOSPC'),
      isAsWritten: true,
      proofs: expect.stringContaining('ENOSPC'),
      hasAllRows: true,
      isProven: true,
      files: 8,
    })
  },
)

describe('export to a folder of another user', () => {
  /** An export that was killed before its commit, next to an unrelated file. */
  async function createHostile() {
    const out = createOut()
    const victim = join(dirname(out.path), 'victim')
    const staging = join(out.path, '.export')
    mkdirSync(staging, { recursive: true })
    writeFileSync(victim, 'precious')
    return { out, victim, staging, isUntouched: () => readFileSync(victim, 'utf8') === 'precious' }
  }

  test.each([
    ['names files outside', (text: string) => text.replaceAll(/feed_id=[^/]*\/part-\d+/g, '../victim')],
    ['is cut off', (text: string) => text.slice(0, -5)],
    ['is something else', () => '{}'],
  ])('error: a commit whose manifest %s is not carried out', async (_, change) => {
    const { out, victim, staging, isUntouched } = await createHostile()
    using _out = out
    const isMove = ({ operation, path }: FileStep) => operation === 'rename' && path.endsWith('.parquet')
    await killedAt(isMove, () => exportFrom(chain, out.path))
    const next = join(staging, '_manifest.json')
    writeFileSync(next, change(readFileSync(next, 'utf8')))
    const error = await errorOf(exportFrom(chain, out.path))
    expect(error).toMatchObject({ code: 'data_set', path: next })
    expect(error.message).toContain('remove its folder, and run the export again')
    expect(isUntouched()).toBeTrue()
    expect(filesOf(dirname(victim))).toContain('victim')
  })

  test.each([
    [
      'names files outside',
      (text: string) => text.replaceAll(/feed_id=[^/]*\/part-\d+\.parquet/g, '../victim'),
    ],
    ['holds something else', () => '[1]'],
  ])('behavior: a list of parts that %s is not followed', async (_, change) => {
    const { out, staging, isUntouched } = await createHostile()
    using _out = out
    await killedAt(untilCommit, () => exportFrom(chain, out.path))
    const list = join(staging, 'parts.json')
    writeFileSync(list, change(readFileSync(list, 'utf8')))
    await exportFrom(chain, out.path)
    expect(isUntouched()).toBeTrue()
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
  })

  test('behavior: nothing is written through a link that waits in the folder', async () => {
    const { out, victim, staging, isUntouched } = await createHostile()
    using _out = out
    const parts = () => filesOf(staging).filter((path) => path.endsWith('.parquet'))
    await killedAt(untilCommit, () => exportFrom(chain, out.path, { rowsPerFile: 15 }))
    const all = parts()
    rmSync(out.path, { recursive: true })
    // With finished parts, the folder remains.
    let written = 0
    const untilSecond = ({ operation, path }: FileStep) =>
      operation === 'write' && path.includes('.parquet') && written++ === 1
    await killedAt(untilSecond, () => exportFrom(chain, out.path, { rowsPerFile: 15 }))
    const [finished = ''] = parts()
    for (const path of all.filter((each) => each !== finished)) {
      mkdirSync(join(staging, dirname(path)), { recursive: true })
      symlinkSync(victim, join(staging, path))
    }
    symlinkSync(victim, join(staging, '_manifest.json.new'))
    symlinkSync(victim, join(out.path, '.export.lock.new'))
    await exportFrom(chain, out.path, { rowsPerFile: 15 })
    expect(isUntouched()).toBeTrue()
    expect(await readTable(out.path)).toEqual(await modelTable(localClient(chain).client))
  })
})
