import { describe, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createFolder } from '@wattfeed/testing/folder'
import { createRegistryChain } from 'wattfeed/testing/registryChain'
import { rootOf, spotRow, spotRows, startDatasetApi, takeFrom } from './agent/datasets/datasetApi.ts'
import { wattfeed } from './support/binary.ts'
import { runToEnd, type Settings } from './support/program.ts'

const command = wattfeed('datasets')
const feedId = 'EIA.DATASET.PETROLEUM.PRI.SPT.DAILY'
const rows = spotRows([20, 19, 18], ['A', 'B'])
const root = await rootOf(rows)
const snapshot = ['snapshot', 'petroleum/pri/spt', '--frequency', 'daily']

const run = (args: readonly string[], settings: Settings, cwd: string) =>
  runToEnd([...command, ...args], settings, cwd)

const eiaAt = (url: string) => ({ EIA_BASE_URL: url, EIA_API_KEY: 'key', EIA_RPS: '1000' })

/** Takes a snapshot into a folder, and returns its path. */
async function takeInto(folder: string): Promise<string> {
  await using api = startDatasetApi(rows)
  const { exitCode, stdout } = await run([...snapshot, '--out', 'data', '--json'], eiaAt(api.url), folder)
  expect(exitCode).toBe(0)
  return join(folder, JSON.parse(stdout).folder)
}

describe('datasets snapshot', () => {
  test('default: reads all, and prints what a feed needs', async () => {
    using folder = createFolder()
    await using api = startDatasetApi(rows)
    const place = join('datasets', feedId.toLowerCase(), root)
    const recipe = 'eia-dataset:1;value;all;duoarea,process,product,series'
    expect(await run(snapshot, eiaAt(api.url), folder.path)).toEqual({
      exitCode: 0,
      stdout: `feed id        ${feedId}
root           ${root}
values         6
newest period  2026-11-20
folder         ${place}
recipe         ${recipe}
`,
      stderr: 'all 6 rows are read\n',
    })
    const again = await run([...snapshot, '--periods', '3', '--json'], eiaAt(api.url), folder.path)
    expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([
      0,
      {
        ...{ command: 'snapshot', feed_id: feedId, route: 'petroleum/pri/spt', frequency: 'daily' },
        ...{ columns: ['value'], facets: ['duoarea', 'process', 'product', 'series'], periods: 3 },
        ...{ root, size: 6, newest_period: '2026-11-20', retrieved_at: expect.any(Number) },
        ...{ folder: place, is_new: false, recipe: recipe.replace('all', '3') },
      },
    ])
  })

  test('behavior: --keep removes older ones', async () => {
    using folder = createFolder()
    const days = [18, 19, 20, 21]
    for (const day of days) {
      await using api = startDatasetApi([...rows, spotRow(`2026-11-${day}`, 'Z')])
      const { exitCode } = await run([...snapshot, '--keep', '3', '--out', '.'], eiaAt(api.url), folder.path)
      expect(exitCode).toBe(0)
    }
    expect(readdirSync(folder.path)).toHaveLength(3)
  })

  test.each([
    [['petroleum/pri/spot', '--frequency', 'daily'], 'the catalog has no dataset petroleum/pri/spot; '],
    [['petroleum/pri/spt', '--frequency', 'dailys'], 'has no frequency dailys; did you mean daily? It has '],
    [
      ['electricity/retail-sales', '--frequency', 'monthly', '--columns', 'price,sale'],
      'has no column sale; did you mean sales? It has ',
    ],
  ])('error: %p names what is near, before anything is read', async (args, words) => {
    using folder = createFolder()
    await using api = startDatasetApi(rows)
    const { exitCode, stderr } = await run(['snapshot', ...args], eiaAt(api.url), folder.path)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)])
    expect([api.requests, readdirSync(folder.path)]).toEqual([[], []])
  })

  test('error: without a key', async () => {
    using folder = createFolder()
    const { exitCode, stderr } = await run(snapshot, {}, folder.path)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('EIA_API_KEY is not set')])
  })
})

describe('datasets check', () => {
  test('default: a whole snapshot, with --offline and from a web server', async () => {
    using folder = createFolder()
    const path = await takeInto(folder.path)
    const whole = {
      exitCode: 0,
      stdout: `feed id        ${feedId}
root           ${root}
values         6
newest period  2026-11-20
files          whole
`,
      stderr: '',
    }
    expect(await run(['check', path, '--offline'], {}, folder.path)).toEqual(whole)
    await using server = serveFolder(path)
    expect(await run(['check', `${server.url}/snapshot`, '--offline'], {}, folder.path)).toEqual(whole)
    const json = await run(['check', path, '--offline', '--json'], {}, folder.path)
    expect(JSON.parse(json.stdout)).toMatchObject({
      command: 'check',
      feed_id: feedId,
      root,
      size: 6,
      chain: null,
    })
  })

  test('behavior: --index writes the index of tables where it is missing or wrong, and only into a folder', async () => {
    using folder = createFolder()
    const path = await takeInto(folder.path)
    const index = join(path, 'table-index')
    const whole = readFileSync(index)
    const check = (...args: string[]) => run(['check', ...args, '--offline'], {}, folder.path)
    truncateSync(index, 50)
    const wrong = await check(path)
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('check <folder> --index`')])
    for (const breakIt of [() => rmSync(index), () => writeFileSync(index, 'x')]) {
      breakIt()
      expect((await check(path, '--index')).exitCode).toBe(0)
      expect(readFileSync(index).equals(whole)).toBe(true)
    }
    const url = await check('http://localhost:1', '--index')
    expect([url.exitCode, url.stderr]).toEqual([1, expect.stringContaining('--index needs a folder')])
  })

  test('default: the exit code says whether the root is on chain', async () => {
    using folder = createFolder()
    const path = await takeInto(folder.path)
    const chain = await createRegistryChain()
    await using node = await startDevnet({ call: chain.answer })
    const settings = {
      CASPER_RPC_URL: node.url,
      CASPER_CHAIN_NAME: chain.chainName,
      FEED_REGISTRY_PACKAGE_HASH: chain.feedRegistryPackageHash,
      ATTESTATION_REGISTRY_PACKAGE_HASH: chain.attestationRegistryPackageHash,
    }
    const check = async () => {
      const { exitCode, stdout } = await run(['check', path], settings, folder.path)
      return [exitCode, stdout.split('\n').find((line) => line.startsWith('chain'))]
    }
    expect(await check()).toEqual([2, 'chain          the feed is not registered on test-net'])
    const recipe = 'eia-dataset:1;value;2;duoarea,process,product,series'
    chain.register(feedId, { description: recipe })
    chain.attest(feedId, { source_hash: 'ab'.repeat(32), amount: 6n })
    await chain.advance()
    expect(await check()).toEqual([
      2,
      `chain          the root is not among the newest 1 of 1 value on test-net, whose recipe is ${recipe}; that of this snapshot is ${recipe.replace('2', 'all')}`,
    ])
    chain.attest(feedId, { source_hash: root, amount: 6n })
    await chain.advance()
    expect(await check()).toEqual([
      0,
      expect.stringMatching(/^chain +attested on test-net at index 1, .*: the newest$/),
    ])
    chain.attest(feedId, { source_hash: 'ab'.repeat(32), amount: 6n })
    await chain.advance()
    expect(await check()).toEqual([0, expect.stringMatching(/at index 1, .*: 1 value newer$/)])
  })

  test.each<[string, (path: string) => void, number, string]>([
    [
      'a leaf that was changed',
      (path) => {
        const bundle = join(path, 'tile/entries/000.p/6')
        writeFileSync(bundle, readFileSync(bundle, 'latin1').replace('20.10', '20.11'), 'latin1')
      },
      2,
      'tile/0/000.p/6: does not follow from the leaves',
    ],
    ['a file that was cut', (path) => truncateSync(join(path, 'index'), 9), 2, 'index: does not follow'],
    ['no snapshot', (path) => writeFileSync(join(path, 'manifest.json'), '{}'), 2, 'manifest.json: not the'],
  ])('error: %s', async (_, spoil, code, words) => {
    using folder = createFolder()
    const path = await takeInto(folder.path)
    spoil(path)
    const { exitCode, stderr } = await run(['check', path, '--offline'], {}, folder.path)
    expect([exitCode, stderr]).toEqual([code, expect.stringContaining(words)])
  })

  test('error: a server that fails, and a folder that is none', async () => {
    using folder = createFolder()
    await using server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1', fetch: () => new Response('', { status: 503 }) },
    })
    const failed = await run(['check', server.url.href, '--offline'], {}, folder.path)
    expect([failed.exitCode, failed.stderr]).toEqual([
      1,
      expect.stringContaining('manifest.json answers HTTP 503'),
    ])
    const absent = await run(['check', 'none', '--offline'], {}, folder.path)
    expect([absent.exitCode, absent.stderr]).toEqual([
      2,
      expect.stringContaining('manifest.json: is missing'),
    ])
  })
})

/** Serves the files of a folder below `/snapshot`. */
function serveFolder(folder: string) {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const path = join(folder, new URL(request.url).pathname.replace('/snapshot', ''))
      return existsSync(path) ? new Response(readFileSync(path)) : new Response('', { status: 404 })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

describe('datasets compare', () => {
  test('default: what a later snapshot has revised, added and removed, from folders and a web server', async () => {
    using folder = createFolder()
    const before = [...rows, spotRow('2026-11-17', 'A', null)]
    const after = [spotRow('2026-11-20', 'A', '9.99'), spotRow('2026-11-17', 'B'), ...rows.slice(1)]
    const taken = []
    for (const each of [before, after]) {
      await using api = startDatasetApi(each)
      taken.push(await takeFrom(api, join(folder.path, 'data')))
    }
    const [earlier = '', later = ''] = taken.map(({ manifest }) => manifest.root)
    const place = (root: string) => join(folder.path, 'data', root)
    const facts = `feed id       ${feedId}
earlier root  ${earlier}
later root    ${later}
revised       1
added         1
removed       1`
    const series = (id: string) =>
      `petroleum/pri/spt daily value duoarea=NUS process=PF4 product=EPD2 series=${id}`
    expect(await run(['compare', place(earlier), place(later)], {}, folder.path)).toEqual({
      exitCode: 2,
      stdout: `${facts}

${series('A')}  2026-11-17  withheld $/GAL  →  none
${series('A')}  2026-11-20  20.10 $/GAL     →  9.99 $/GAL
${series('B')}  2026-11-17  none            →  1.50 $/GAL
`,
      stderr: '',
    })
    await using server = serveFolder(place(later))
    const url = `${server.url}/snapshot`
    const one = await run(['compare', place(earlier), url, '--limit', '1'], {}, folder.path)
    expect(one.stdout).toEndWith('→  none\n… and 2 more; --limit shows them\n')
    const json = await run(['compare', url, place(earlier), '--json', '--limit', '1'], {}, folder.path)
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([
      2,
      {
        ...{ command: 'compare', feed_id: feedId, route: 'petroleum/pri/spt', frequency: 'daily' },
        earlier: { root: later, size: 7, newest_period: '2026-11-20', retrieved_at: expect.any(Number) },
        later: { root: earlier, size: 7, newest_period: '2026-11-20', retrieved_at: expect.any(Number) },
        ...{ revised: 1, added: 1, removed: 1 },
        items: [
          {
            column: 'value',
            facets: { duoarea: 'NUS', process: 'PF4', product: 'EPD2', series: 'A' },
            period: '2026-11-17',
            earlier: null,
            later: { value: null, unit: '$/GAL' },
          },
        ],
      },
    ])
    const same = await run(['compare', url, place(later)], {}, folder.path)
    expect([same.exitCode, same.stdout]).toEqual([
      0,
      facts.replace(earlier, later).replaceAll(/ 1$/gm, ' 0').concat('\n'),
    ])
  })

  test('error: no snapshot, one of another dataset, and a file that was cut', async () => {
    using folder = createFolder()
    const path = await takeInto(folder.path)
    const manifest = readFileSync(join(path, 'manifest.json'), 'utf8')
    for (const place of ['other', 'cut'])
      mkdirSync(join(folder.path, place, 'tile/0/000.p'), { recursive: true })
    folder.write('other/manifest.json', manifest.replace('"daily"', '"weekly"'))
    folder.write('other/tile/0/000.p/6', readFileSync(join(path, 'tile/0/000.p/6')))
    folder.write('cut/manifest.json', manifest)
    folder.write('cut/tile/0/000.p/6', 'x')
    const failures: [place: string, words: string][] = [
      ['none', 'the later snapshot is missing: its place has no manifest.json'],
      ['other', 'of two datasets: petroleum/pri/spt daily, and petroleum/pri/spt weekly'],
      ['cut', 'tile/0/000.p/6: expected 6 hashes of 32 bytes'],
    ]
    for (const [place, words] of failures) {
      const { exitCode, stderr } = await run(['compare', path, place], {}, folder.path)
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(words)])
    }
  })
})

describe('datasets restore', () => {
  test('default: rebuilds a snapshot of an archive, and checks it', async () => {
    using folder = createFolder()
    const out = join(folder.path, 'data', feedId.toLowerCase())
    const roots: string[] = []
    for (const day of [18, 19]) {
      await using api = startDatasetApi([...rows, spotRow(`2026-11-${day}`, 'Z')])
      const taken = await takeFrom(api, out, { keep: 1, archived: 1, now: () => 1_795_000_000_000 + day })
      roots.push(taken.manifest.root)
    }
    const [first = '', second = ''] = roots
    expect(existsSync(join(out, first))).toBeFalse()
    expect(await run(['restore', first, '--from', 'data'], {}, folder.path)).toEqual({
      exitCode: 0,
      stdout: `folder  ${join('data', feedId.toLowerCase(), first)}\nvalues  7\nfiles   restored, and whole\n`,
      stderr: '',
    })
    const again = await run(['restore', first, '--from', out, '--json'], {}, folder.path)
    expect(JSON.parse(again.stdout)).toEqual({
      ...{ command: 'restore', root: first, folder: join(out, first), is_new: false, size: 7 },
    })
    const none = await run(['restore', second, '--from', 'data'], {}, folder.path)
    expect([none.exitCode, none.stderr]).toEqual([
      1,
      expect.stringContaining(`no archive in data has the root ${second}`),
    ])
  })
})
