import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startDevnet } from '@wattfeed/casper-devnet'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { parquetReadObjects } from 'hyparquet'
import { datasetFeed, rootOf, type WrittenSnapshot, writeSnapshot } from 'wattfeed/testing/datasetSnapshot'
import { trustIn } from 'wattfeed/testing/provenFeed'
import { createRulesChain } from 'wattfeed/testing/rulesChain'
import { createVerifiedWorld, type VerifiedWorld } from 'wattfeed/testing/verifiedWorld'
import { bootRegistries, worldOn } from 'wattfeed/testing/world'
import { attestArguments } from '../packages/wattfeed/src/registry/calls.ts'
import { runVerify } from '../src/operator/verify/runVerify.ts'
import { createBoardWorld, documentOf } from './operator/series/boardWorld.ts'
import { inventLeaves, ROUTE } from './server/series/inventedDataset.ts'
import { wattfeed } from './support/binary.ts'
import { runToEnd } from './support/program.ts'

const FEED = 'EIA.DATASET.PETROLEUM.PRI.SPT.WEEKLY'
const command = wattfeed('series')
const named = [ROUTE, '--frequency', 'weekly', '--column', 'value', '--facet', 'area=NUS'] as const
const wti = [...named, '--facet', 'product=EPCWTI'] as const
const seriesOfWti = {
  ...{ route: ROUTE, frequency: 'weekly', column: 'value' },
  facets: { area: 'NUS', product: 'EPCWTI' },
}

let world: VerifiedWorld
let folder: Folder
const snapshots: WrittenSnapshot[] = []

beforeAll(async () => {
  world = await createVerifiedWorld({ nodes: 1 })
  folder = createFolder()
  writeFileSync(join(folder.path, 'file'), '')
  for (const weeks of [3, 4]) {
    const leaves = inventLeaves([null, 'EPCBRENT', 'EPCWTI'], weeks)
    const snapshot = await writeSnapshot(join(folder.path, FEED.toLowerCase()), leaves)
    const { owner, register, call, packages } = world.world
    const value = { feed_id: FEED, ...rootOf(snapshot.manifest) }
    for (const refused of [
      await register(owner, FEED, datasetFeed(snapshot.manifest)),
      await call(owner, packages.AttestationRegistry, 'attest', attestArguments(value)),
    ])
      if (refused !== null) throw new Error(refused)
    snapshots.push(snapshot)
  }
})

afterAll(async () => {
  folder[Symbol.dispose]()
  await world[Symbol.asyncDispose]()
})

/** Runs a command on the world's node. */
function run(args: readonly string[], place = folder.path) {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = world.network
  const settings = {
    CASPER_RPC_URL: world.nodes[0]?.url ?? '',
    CASPER_CHAIN_NAME: chainName,
    FEED_REGISTRY_PACKAGE_HASH: feedRegistryPackageHash,
    ATTESTATION_REGISTRY_PACKAGE_HASH: attestationRegistryPackageHash,
  }
  return runToEnd([...command, ...args, '--files', place], settings, folder.path)
}

/** Runs a command that reads no chain. */
const runAlone = (args: readonly string[]) => runToEnd([...command, ...args], {}, folder.path)

/** The last line that `verify` prints about a written proof. */
async function verified(name: string): Promise<string | undefined> {
  const source = join(folder.path, name)
  const { exitCode, text } = await runVerify({ source, trust: trustIn(world), json: false })
  expect(exitCode).toBe(0)
  return text.trimEnd().split('\n').at(-1)
}

const trusted = () => ['--trust', world.genesisHash]

describe('series value', () => {
  test('default: the newest value, from a folder and from a URL', async () => {
    await using server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1' },
      fetch: ({ url }) => new Response(Bun.file(join(folder.path, new URL(url).pathname))),
    })
    for (const place of [folder.path, server.url.href]) {
      const { exitCode, stdout } = await run(['value', ...wti], place)
      const lines = stdout.split('\n').map((line) => line.split(/ {2,}/))
      expect([exitCode, lines.slice(0, 4)]).toEqual([
        0,
        [
          ['series', `${ROUTE} weekly value area=NUS product=EPCWTI`],
          ['period', '2026-01-23'],
          ['value', '2.30 $/BBL'],
          ['root', `${snapshots[1]?.manifest.root} (of 12 values)`],
        ],
      ])
    }
  })

  test('behavior: an empty facet is one without a code; --period is the value of a period; JSON', async () => {
    const { exitCode, stdout } = await run([
      'value',
      ...named,
      '--facet',
      'product=',
      '--period',
      '2026-01-09',
      '--json',
    ])
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({
        command: 'value',
        value: '0.10',
        statement: 'value',
        leaf_index: 1,
        index: 1,
        proof: null,
      }),
    ])
    expect(JSON.parse(stdout)).not.toHaveProperty('root_index')
  })

  test('behavior: --proof writes a proof that "verify" proves, also of an absence, whose exit code is 2', async () => {
    const value = await run(['value', ...wti, '--proof', 'value.json', ...trusted()])
    expect([value.exitCode, await verified('value.json')]).toEqual([
      0,
      expect.stringContaining('proven: petroleum/pri/spt weekly value area=NUS product=EPCWTI newest '),
    ])
    const absent = await run([
      'value',
      ...named,
      '--facet',
      'product=ZZZ',
      '--proof',
      'none.json',
      ...trusted(),
    ])
    expect(absent.stdout).toContain('the dataset has no value of this series')
    expect([absent.exitCode, await verified('none.json')]).toEqual([
      2,
      expect.stringContaining('has no value (of 12 values, root 1)'),
    ])
  })

  test.each([
    ['product=Q', 'it has no product=Q'],
    ['product=epcwti', 'product=EPCWTI'],
    ['area=', 'it has no rows without area'],
  ])('behavior: %s is named as what the dataset does not have', async (facet, words) => {
    const others = facet.startsWith('area') ? ['product=EPCWTI'] : ['area=NUS']
    const facets = [facet, ...others].flatMap((each) => ['--facet', each])
    const { stdout } = await run(['value', ROUTE, '--frequency', 'weekly', '--column', 'value', ...facets])
    expect(stdout).toContain(words)
  })

  test('error: a facet is missing, --proof without --trust, and files that are not there', async () => {
    const missing = await run(['value', ...named])
    expect([missing.exitCode, missing.stderr]).toEqual([1, expect.stringContaining('product')])
    const untrusted = await run(['value', ...wti, '--proof', 'x.json'])
    expect([untrusted.exitCode, untrusted.stderr]).toEqual([
      1,
      expect.stringContaining('--proof and --trust'),
    ])
    for (const place of [join(folder.path, 'none'), join(folder.path, 'file')]) {
      const gone = await run(['value', ...wti], place)
      expect([gone.exitCode, gone.stderr]).toEqual([
        1,
        expect.stringContaining(`--files "${place}": there is no such folder`),
      ])
    }
    using empty = createFolder()
    const notYet = await run(['value', ...wti], empty.path)
    expect([notYet.exitCode, notYet.stderr]).toEqual([1, expect.stringContaining('retry later')])
  })

  test.each([
    ['history', ['--from', '2026-13'], '--from: a weekly period must be'],
    ['history', ['--to', '2026-13'], '--to: a weekly period must be'],
    ['value', ['--period', '2026-13'], '--period: a weekly period must be'],
    ['value', ['--facet', 'state=CA'], '--facet state: there is no such facet'],
  ])('error: %s %p names the option', async (name, options, words) => {
    const { exitCode, stderr } = await run([name, ...wti, ...options])
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`series: ${words}`)])
  })
})

describe('series arguments', () => {
  test('default: a written proof becomes the argument of a contract, with its lane and what a failure loses', async () => {
    await run(['value', ...wti, '--proof', 'price.json', ...trusted()])
    const { exitCode, stdout } = await runAlone(['arguments', 'price.json'])
    const lines = stdout.split('\n').map((line) => line.split(/ {2,}/))
    expect([exitCode, lines.slice(0, -1)]).toEqual([
      0,
      [
        ['series', `${ROUTE} weekly value area=NUS product=EPCWTI`],
        ['shows', 'newest_value 2026-01-23 = 2.30 $/BBL'],
        ['root', `${snapshots[1]?.manifest.root} (of 12 values)`],
        ['arguments', expect.stringMatching(/^\d+ bytes$/)],
        ['lane', 'up to 512 bytes and 5 CSPR, 40 a block'],
        ['if it fails', 'the call loses its payment, 2.5 CSPR; another root on chain fails it'],
        [''],
        ['proof', expect.stringMatching(/^01[0-9a-f]+$/)],
      ],
    ])
  })

  test('behavior: the statement, the unit, the payment and the size of other arguments; JSON', async () => {
    await run(['value', ...wti, '--proof', 'price.json', ...trusted()])
    const options = ['--statement', 'newest_period', '--unit', '', '--argument', 'price']
    const sizes = ['--other-bytes', '600', '--payment', '3000000000', '--protocol', '2.0.3']
    const { exitCode, stdout } = await runAlone(['arguments', 'price.json', ...options, ...sizes, '--json'])
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      2,
      expect.objectContaining({
        command: 'arguments',
        statement: 'newest_period',
        refusal: "the unit of the value is '$/BBL', and the contract pins none",
        arguments: [['price', expect.objectContaining({ cl_type: { List: 'U8' } })]],
        lane: {
          max_argument_bytes: 1_024,
          max_payment_motes: '100000000000',
          transactions_per_block: 2,
        },
        payment_motes: '3000000000',
      }),
    ])
  })

  test('behavior: it says that a contract with another unit refuses the value', async () => {
    await run(['value', ...wti, '--proof', 'price.json', ...trusted()])
    const { exitCode, stdout } = await runAlone(['arguments', 'price.json', '--unit', '$/gallon'])
    expect([exitCode, stdout]).toEqual([
      2,
      expect.stringMatching(
        /^refused +the unit of the value is '\$\/BBL', and the contract pins '\$\/gallon': the call reverts/m,
      ),
    ])
  })

  test('error: an absence, and a file that is not there', async () => {
    const absent = [...named, '--facet', 'product=ZZZ', '--proof', 'absent.json', ...trusted()]
    await run(['value', ...absent])
    const refused = await runAlone(['arguments', 'absent.json'])
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('an absence')])
    expect((await runAlone(['arguments', 'missing.json'])).stderr).toContain('cannot be read')
  })
})

describe('series table', () => {
  const dataset = ['table', ROUTE, '--frequency', 'weekly'] as const

  test('default: rows of all series, with what shows that there are no others', async () => {
    const { exitCode, stdout } = await run([...dataset, '--from', '2026-01-16', '--sort', '-period'])
    const [facts = '', rows = ''] = stdout.split('\n\n')
    expect([exitCode, facts.split('\n').filter((line) => !line.startsWith('attested'))]).toEqual([
      0,
      [
        `dataset   ${ROUTE} weekly`,
        `root      ${snapshots[1]?.manifest.root} (of 12 values)`,
        'rows      rows 1 to 6 of 6',
        'complete  nothing shows it',
      ],
    ])
    expect(rows.split('\n').map((line) => line.trimEnd())).toEqual([
      'column  area  product   period      value  unit',
      'value   NUS             2026-01-23  0.30   $/BBL',
      'value   NUS   EPCBRENT  2026-01-23  1.30   $/BBL',
      'value   NUS   EPCWTI    2026-01-23  2.30   $/BBL',
      'value   NUS             2026-01-16  0.20   $/BBL',
      'value   NUS   EPCBRENT  2026-01-16  1.20   $/BBL',
      'value   NUS   EPCWTI    2026-01-16  2.20   $/BBL',
      '',
    ])
  })

  test('behavior: several codes and a section, as CSV, JSON and Parquet', async () => {
    const query = [
      ...dataset,
      '--facet',
      'product=',
      '--facet',
      'product=EPCWTI',
      '--limit',
      '2',
      '--offset',
      '3',
    ]
    const csv = await run([...query, '--csv'])
    expect([csv.exitCode, csv.stdout.replaceAll('\r', ''), csv.stderr]).toEqual([
      0,
      'column,area,product,period,value,unit,number,leaf_index\nvalue,NUS,,2026-01-23,0.30,$/BBL,0.3,3\nvalue,NUS,EPCWTI,2026-01-02,,$/BBL,,8\n',
      'series: rows 4 to 5 of 8; --offset 5 has the next\n',
    ])
    const { stdout } = await run([...query, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ command: 'table', route: ROUTE, index: 1, size: 12, total: 8, complete: null, offset: 3 },
      ...{
        parquet: null,
        rows: [{ leaf_index: 3 }, { leaf_index: 8, facets: { area: 'NUS', product: 'EPCWTI' } }],
      },
    })
    const file = join(folder.path, 'rows.parquet')
    const written = await run([...query, '--parquet', file])
    expect([written.exitCode, written.stdout]).toEqual([0, expect.stringContaining(`written   ${file}\n`)])
    const rows = await parquetReadObjects({ file: new Uint8Array(readFileSync(file)).buffer })
    expect(rows.map(({ period, number, leaf_index }) => [period, number, leaf_index])).toEqual([
      ['2026-01-23', 0.3, 3n],
      ['2026-01-02', null, 8n],
    ])
  })

  test('behavior: --as-of answers by the root of that time; no row is exit code 2', async () => {
    const now = JSON.parse((await run([...dataset, '--json', '--as-of', '2099-01-01'])).stdout)
    expect([now.index, now.total, now.complete]).toEqual([1, 12, true])
    const before = await run([...dataset, '--as-of', '2001-01-01'])
    expect([before.exitCode, before.stdout, before.stderr]).toEqual([
      1,
      '',
      expect.stringContaining('had no root'),
    ])
    const none = await run([...dataset, '--to', '2025-12-31'])
    expect([none.exitCode, none.stdout]).toEqual([2, expect.stringContaining('rows      none of 0')])
  })

  test('error: files at a URL, and a dataset without a root', async () => {
    const remote = await run([...dataset], 'http://127.0.0.1:9')
    expect([remote.exitCode, remote.stderr]).toEqual([1, expect.stringContaining('those of a local folder')])
    const unknown = await run(['table', 'coal', '--frequency', 'annual'])
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('no root of coal annual')])
  })
})

describe('series revisions', () => {
  const ofPeriod = (period: string) => ['revisions', ...wti, '--period', period]

  test('default: what each root says of a value', async () => {
    const { exitCode, stdout } = await run(ofPeriod('2026-01-23'))
    const [facts, rows = ''] = stdout.trimEnd().split('\n\n')
    expect([exitCode, facts?.split('\n')]).toEqual([
      0,
      [
        `series  ${ROUTE} weekly value area=NUS product=EPCWTI`,
        'period  2026-01-23',
        'roots   2, of 2 attestations',
      ],
    ])
    const [first, second] = snapshots.map(({ manifest }) => manifest.root)
    expect(rows.split('\n').map((line) => line.split(/ {2,}/).toSpliced(1, 1))).toEqual([
      ['index', 'value', 'unit', 'root'],
      ['0', 'no_period', first ?? ''],
      ['1', '2.30', '$/BBL', second ?? ''],
    ])
  })

  test('behavior: JSON has the names of /v1/series/revisions; --last has the newest', async () => {
    const { exitCode, stdout } = await run([...ofPeriod('2026-01-02'), '--last', '1', '--json'])
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      {
        command: 'revisions',
        series: expect.objectContaining({ route: ROUTE, period: '2026-01-02' }),
        ...{ feed_id: FEED, count: 2 },
        items: [
          {
            ...{ index: 1, root: snapshots[1]?.manifest.root, size: 12, attested_at: expect.any(Number) },
            ...{ statement: 'value', value: null, unit: '$/BBL', leaf_index: 8, covers_from: '2026-01-02' },
          },
        ],
      },
    ])
  })

  test('behavior: a root whose files are not there is gone; no value by any root is exit code 2', async () => {
    using empty = createFolder()
    const { exitCode, stdout } = await run([...ofPeriod('2026-01-09'), '--json'], empty.path)
    const statements = JSON.parse(stdout).items.map(({ statement }: { statement: string }) => statement)
    expect([exitCode, statements]).toEqual([2, ['gone', 'gone']])
  })

  test('error: a period that is none, and a dataset without a root', async () => {
    const wrong = await run(ofPeriod('2026-13-01'))
    expect([wrong.exitCode, wrong.stderr]).toEqual([1, expect.stringContaining('a weekly period must be')])
    const unknown = await run(['revisions', 'coal', ...wti.slice(1), '--period', '2026-01-09'])
    expect([unknown.exitCode, unknown.stderr]).toEqual([1, expect.stringContaining('no root of coal weekly')])
  })
})

describe('series history', () => {
  test('default: all values, as CSV also those of --from and --to', async () => {
    const all = await run(['history', ...wti])
    expect([all.exitCode, all.stdout.split('\n\n')[1]]).toEqual([
      0,
      '2026-01-02  withheld  $/BBL\n2026-01-09  2.10      $/BBL\n2026-01-16  2.20      $/BBL\n2026-01-23  2.30      $/BBL\n',
    ])
    const some = await run(['history', ...wti, '--from', '2026-01-05', '--to', '2026-01-16', '--csv'])
    expect(some.stdout.replaceAll('\r', '')).toBe(
      'column,area,product,period,value,unit\nvalue,NUS,EPCWTI,2026-01-09,2.10,$/BBL\nvalue,NUS,EPCWTI,2026-01-16,2.20,$/BBL\n',
    )
  })

  test('behavior: --last has the newest, in the order of periods; --proof proves just those', async () => {
    const { exitCode, stdout } = await run([
      'history',
      ...wti,
      '--last',
      '2',
      '--json',
      '--proof',
      'last.json',
      ...trusted(),
    ])
    const { items, index } = JSON.parse(stdout)
    expect([exitCode, index, items.map(({ value }: { value: string }) => value)]).toEqual([
      0,
      1,
      ['2.20', '2.30'],
    ])
    expect(await verified('last.json')).toStartWith('proven: ')
    expect(JSON.parse(readFileSync(join(folder.path, 'last.json'), 'utf8')).range).toMatchObject({
      ...{ order: 'desc', limit: 2 },
    })
  })

  test('behavior: no value in a range is exit code 2', async () => {
    const { exitCode, stdout } = await run(['history', ...wti, '--to', '2025-12-31'])
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining('no value in this range')])
  })

  test('behavior: --as-of answers by the root of that time, and by no other', async () => {
    const first = JSON.parse((await run(['history', ...wti, '--json', '--as-of', '2099-01-01'])).stdout)
    expect(first.index).toBe(1)
    const before = await run(['history', ...wti, '--as-of', '2001-01-01'])
    expect([before.exitCode, before.stdout]).toEqual([1, ''])
    rmSync(snapshots[1]?.folder ?? '', { recursive: true })
    expect((await run(['history', ...wti, '--as-of', '2099-01-01'])).exitCode).toBe(1)
    // Without a time, an earlier root may answer.
    const older = JSON.parse((await run(['history', ...wti, '--json'])).stdout)
    expect([older.index, older.is_newest_root]).toEqual([0, false])
  })
})

describe('series put', () => {
  /** Runs a command with a board on a chain whose clock is that of the machine. */
  async function withBoard(
    use: (bench: { put: (...args: string[]) => ReturnType<typeof runToEnd>; board: string }) => Promise<void>,
  ): Promise<void> {
    using place = createFolder()
    const snapshot = await writeSnapshot(place.path, inventLeaves([null, 'EPCBRENT', 'EPCWTI'], 3))
    const query = { ...seriesOfWti, period: '2026-01-09' }
    place.write('price.json', JSON.stringify(await documentOf(snapshot.snapshot, query)))
    const withheld = { ...query, period: '2026-01-02' }
    place.write('withheld.json', JSON.stringify(await documentOf(snapshot.snapshot, withheld)))
    const { chain, packages } = await bootRegistries(await createRulesChain({ startMs: Date.now() - 60_000 }))
    await using boarded = await createBoardWorld([snapshot.manifest], worldOn(chain, packages))
    const { devnet, board } = boarded
    await using fork = devnet.fork({ now: Date.now })
    await using endpoint = await startDevnet(fork)
    const settings = {
      CASPER_RPC_URL: endpoint.url,
      CASPER_CHAIN_NAME: devnet.chainName,
      ATTESTER_KEY_PATH: place.write('key.pem', devnet.accounts[2]?.secretKeyPem ?? '', 0o600),
    }
    const options = ['--board', `hash-${board}`, '--decimals', '2']
    const put = (...args: string[]) =>
      runToEnd([...command, 'put', ...args, ...options], settings, place.path)
    await use({ put, board })
  }

  test('default: says lane, payment and loss, sends nothing in a dry run, puts the value, and then has nothing to do', () =>
    withBoard(async ({ put, board }) => {
      const cost =
        /^series: \d+ bytes of arguments and 2\.5 CSPR take the lane of up to 512 bytes and 5 CSPR, 40 a block; a call that fails loses the 2\.5 CSPR, and another root on chain fails it\n$/
      const facts = {
        ...{ command: 'put', board: `hash-${board}`, statement: 'value_of', period: '2026-01-09' },
        ...{ value: '2.10', id: expect.stringMatching(/^[0-9a-f]{64}$/), series: expect.anything() },
        ...{ attester: expect.stringMatching(/^account-hash-/), root: expect.any(String) },
        argument_bytes: expect.any(Number),
      }
      const planned = await put('price.json', '--dry-run', '--json')
      expect(planned.stderr).toMatch(cost)
      expect([planned.exitCode, JSON.parse(planned.stdout)]).toEqual([
        0,
        { ...facts, state: 'planned', payment_motes: '2500000000' },
      ])
      const sent = await put('price.json')
      expect([sent.exitCode, sent.stdout.split('\n').map((line) => line.split(/ {2,}/))]).toEqual([
        0,
        expect.arrayContaining([
          ['value', `${ROUTE} weekly value area=NUS product=EPCWTI 2026-01-09 2.10 $/BBL`],
          ['state', 'executed'],
          ['charged_motes', expect.stringMatching(/^\d+$/)],
        ]),
      ])
      const again = await put('price.json', '--json')
      expect([again.exitCode, JSON.parse(again.stdout)]).toEqual([0, { ...facts, state: 'done' }])
    }))

  test('error: a withheld value, and a setting that is missing', () =>
    withBoard(async ({ put, board }) => {
      const withheld = await put('withheld.json')
      expect([withheld.exitCode, withheld.stderr]).toEqual([1, expect.stringContaining('is withheld')])
      const { exitCode, stderr } = await runAlone(['put', 'x', '--board', board, '--decimals', '2'])
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('CASPER_RPC_URL is not set')])
    }))
})
