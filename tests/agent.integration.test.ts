import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@wattfeed/base/disk'
import { keyMaterial, pemOf } from '@wattfeed/casper/testing/keys'
import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { answerWith } from '@wattfeed/eia/testing/eiaServer'
import { throttled } from '@wattfeed/eia/testing/upstreamFaults'
import { hasPidNamespaces, inPidNamespace } from '@wattfeed/testing/pidNamespace'
import { secrets } from '@wattfeed/testing/secrets'
import manifest from '../package.json' with { type: 'json' }
import { stateSchema } from '../src/agent/state/openState.ts'
import type { SeriesConfig } from '../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../src/feeds/file/loadFeeds.ts'
import {
  type AgentBench,
  apiKeyPattern,
  createAgentBench,
  type OutcomeLine,
  parseLines,
} from './agent/run/agentBench.ts'
import { wattfeed } from './support/binary.ts'
import { runToEnd } from './support/program.ts'
import { statePath } from './support/state.ts'

// Each test runs a few processes.
const flagship = await loadFeeds(null)
const few = flagship.filter(({ feed_id }) =>
  ['EIA.PET.PRICE.WTI.DAILY', 'EIA.NUC.OUTAGE.US_PCT.DAILY', 'EIA.COAL.PROD.US.ANNUAL'].includes(feed_id),
)
const [wti, coal, nuclear] = few.map(({ feed_id }) => feed_id)

/** Log lines of standard error, each a JSON object. */
const logOf = (stderr: string): Record<string, unknown>[] => parseLines(stderr) as never

const byId = (lines: readonly OutcomeLine[]) => new Map(lines.map((line) => [line.feed_id, line]))

/** Nothing that a run leaves behind may hold a secret. */
function expectNoSecret(bench: AgentBench, ...texts: string[]): void {
  const all = [...texts, ...Object.values(bench.stateFiles()), ...Object.keys(bench.stateFiles())].join('\n')
  for (const pattern of [apiKeyPattern, secrets, keyMaterial]) expect(all).not.toMatch(pattern)
}

describe('--once', () => {
  test('default: attests every flagship feed, and finds nothing new the next time', async () => {
    await using bench = await createAgentBench()
    const first = await bench.run(['--once', '--json'])
    expect([first.exitCode, first.lines.length]).toEqual([0, 36])
    expect(new Set(first.lines.map(({ feed_id }) => feed_id))).toEqual(
      new Set(flagship.map(({ feed_id }) => feed_id)),
    )
    expect(new Set(first.lines.map(({ decision, error }) => `${decision} ${error}`))).toEqual(
      new Set(['new-period null']),
    )
    const attested = new Map((await bench.chain.attested()).map((each) => [each.feed_id, each]))
    expect(attested.size).toBe(36)
    for (const { feed_id, period, amount, source_hash } of first.lines)
      expect<unknown>(attested.get(feed_id)).toEqual({
        feed_id,
        period,
        amount: BigInt(amount ?? ''),
        source_hash,
      })
    const sent = new Set(first.lines.map(({ transaction_hash }) => transaction_hash ?? ''))
    expect([sent, bench.chain.executed.length]).toEqual([new Set(bench.chain.executed), 9])
    const second = await bench.run(['--once', '--json'])
    expect(second.exitCode).toBe(0)
    expect(new Set(second.lines.map(({ decision }) => decision))).toEqual(new Set(['unchanged']))
    expect([(await bench.chain.attested()).length, Object.keys(bench.stateFiles()).toSorted()]).toEqual([
      36,
      ['wattfeed.db'],
    ])
    expectNoSecret(bench, first.stdout, first.stderr, second.stdout, second.stderr)
  })

  test('default: for people, a table in the order of the feeds file; it opens no port', async () => {
    await using bench = await createAgentBench({ feeds: few })
    await bench.run(['--once', '--feed', `${coal}`])
    // It opens no port: another program has this one.
    const { port } = new URL(bench.upstream.url)
    const { exitCode, stdout } = await bench.run(['--once'], { AGENT_PORT: port })
    expect(exitCode).toBe(0)
    const [head, ...rows] = stdout.trimEnd().split('\n')
    expect(head?.split(/ {2,}/)).toEqual(['feed', 'decision', 'period', 'value', 'unit', 'transaction'])
    expect(rows.map((row) => row.split(/ {2,}/))).toEqual([
      [wti, 'new-period', '20261120', '58.46', '$/BBL', bench.chain.executed[1]],
      [coal, 'unchanged', '2025', '521880330', 'short tons', '-'],
      [nuclear, 'new-period', '20261119', '.306', 'percent', bench.chain.executed[1]],
      ['2 new-period, 1 unchanged'],
    ] as string[][])
  })

  test('behavior: --feed limits the run to these feeds', async () => {
    await using bench = await createAgentBench()
    const { exitCode, lines } = await bench.run(['--once', '--json', '--feed', `${wti}`, '--feed', `${coal}`])
    expect([exitCode, [...byId(lines).keys()].sort()]).toEqual([0, [coal, wti].sort() as string[]])
    expect([...bench.upstream.requests.values()]).toEqual([1, 1])
  })

  test('error: feeds that fail do not stop the others: exit code 2', async () => {
    const feeds = [...few, { ...few[0], feed_id: 'EIA.NOT.REGISTERED', unit: '$/bbl' }] as SeriesConfig[]
    await using bench = await createAgentBench({ feeds: few, chain: { foreign: [`${coal}`] } })
    bench.upstream.fail(answerWith('<html>busy</html>'), { route: 'nuclear-outages/us-nuclear-outages' })
    const file = bench.folder.write('more.json', JSON.stringify(feeds))
    const { exitCode, lines, stdout, stderr } = await bench.run(['--once', '--json'], { FEEDS_FILE: file })
    const codes = lines.map(({ feed_id, decision, error }) => [feed_id, decision ?? error?.code])
    expect([exitCode, Object.fromEntries(codes)]).toEqual([
      2,
      {
        [`${wti}`]: 'new-period',
        [`${coal}`]: 'feed_claimed',
        [`${nuclear}`]: 'eia_html',
        'EIA.NOT.REGISTERED': 'feed_not_registered',
      },
    ])
    expect(byId(lines).get(`${coal}`)).toEqual({
      feed_id: `${coal}`,
      decision: null,
      period: null,
      amount: null,
      value: null,
      unit: null,
      source_hash: null,
      transaction_hash: null,
      error: {
        code: 'feed_claimed',
        message: expect.stringContaining(`${coal} is claimed by ${bench.chain.stranger}`),
        retryable: false,
      },
      transaction_hashes: [],
      caught_up: [],
      missing: 0,
      revised: [],
      left_out: [],
      waits_for: null,
      waits_until: null,
      gaps: null,
      signers: [],
    })
    expectNoSecret(bench, stdout, stderr)
  })

  test('error: a transaction that fails is the error of each of its feeds', async () => {
    await using bench = await createAgentBench({ feeds: few, chain: { losesFeeds: true } })
    const { exitCode, lines } = await bench.run(['--once', '--json'])
    const [hash] = bench.chain.executed
    expect([exitCode, lines.length]).toEqual([2, 3])
    for (const { decision, period, value, transaction_hash, error } of lines)
      expect([decision, typeof period, typeof value, transaction_hash, error?.code]).toEqual([
        null,
        'number',
        'string',
        hash,
        'transaction_failed',
      ])
    expect(lines[0]?.error?.message).toContain('User error: 1')
  })

  test('error: a balance that is too low: nothing is sent', async () => {
    await using bench = await createAgentBench({ feeds: few, chain: { balance: () => 4_999_999_999n } })
    const { exitCode, lines } = await bench.run(['--once', '--json'])
    expect([exitCode, lines.map(({ error }) => error?.code), bench.chain.sent]).toEqual([
      2,
      ['balance', 'balance', 'balance'],
      [],
    ])
  })
})

/** What the agent has to print of a fixture's newest row, worked out without the agent's code. */
function expectedLine(feed: SeriesConfig): Partial<OutcomeLine> {
  const file = new URL(`../fixtures/eia/${feed.route.replaceAll('/', '-')}.json`, import.meta.url)
  const { data } = JSON.parse(readFileSync(file, 'utf8'))
  const rows: Record<string, string>[] = data.response.data
  const [row = {}, next] = rows
    .filter((each) => Object.entries(feed.facets).every(([facet, value]) => each[facet] === value))
    .sort((a, b) => (`${a.period}` < `${b.period}` ? 1 : -1))
  // A series that is not pinned: which of its rows comes is upstream's choice.
  if (next?.period === row.period) return { feed_id: feed.feed_id, decision: 'new-period' }
  const unit = row.units ?? row[`${feed.column}-units`] ?? feed.unit
  const value = `${row[feed.column]}`
  const [whole = '', fraction = ''] = value.split('.')
  const facets = Object.entries(feed.facets).sort(([a], [b]) => (a < b ? -1 : 1))
  const { route, frequency } = feed
  const source = JSON.stringify({ route, frequency, facets, period: row.period, value, unit })
  return {
    feed_id: feed.feed_id,
    decision: 'new-period',
    amount: BigInt(whole + fraction.padEnd(feed.decimals, '0').slice(0, feed.decimals)).toString(),
    value,
    unit,
    source_hash: createHash('sha256').update(source).digest('hex').slice(0, 32),
    transaction_hash: null,
    error: null,
  }
}

describe('--dry-run', () => {
  test('default: needs no key; prints the values that it would attest of every flagship feed; sends and writes nothing', async () => {
    await using bench = await createAgentBench({ feeds: flagship })
    const { exitCode, lines, stderr } = await bench.run(['--once', '--dry-run', '--json'], {
      ATTESTER_KEY_PATH: '',
      AGENT_STATE_DIR: 'state of nobody',
    })
    expect(exitCode).toBe(0)
    const found = byId(lines)
    expect(lines.map(({ feed_id }) => feed_id).sort()).toEqual(flagship.map(({ feed_id }) => feed_id).sort())
    for (const feed of flagship) expect(found.get(feed.feed_id)).toMatchObject(expectedLine(feed))
    expect(found.get('EIA.ELEC.DEMAND.US48.HOURLY')?.period).toBe(Date.parse('2026-11-19T23:00Z') / 1000)
    expect([bench.chain.sent, existsSync(`${bench.folder.path}/state of nobody`)]).toEqual([[], false])
    expect(logOf(stderr)).toContainEqual(
      expect.objectContaining({
        level: 40,
        msg: 'ATTESTER_KEY_PATH is not set; claimant and balance are not checked',
      }),
    )
  })

  test('default: without FEEDS_FILE, it uses the flagship feeds', async () => {
    await using bench = await createAgentBench()
    const { lines } = await bench.run(['--once', '--dry-run', '--json'], { FEEDS_FILE: '' })
    expect(lines.map(({ feed_id }) => feed_id).sort()).toEqual(flagship.map(({ feed_id }) => feed_id).sort())
  })

  test('behavior: with a key nothing is sent or written either', async () => {
    await using bench = await createAgentBench({ feeds: few })
    const before = bench.stateFiles()
    const { exitCode, lines } = await bench.run(['--once', '--dry-run', '--json'])
    const found = lines.map(({ decision, transaction_hash }) => [decision, transaction_hash])
    expect([exitCode, found]).toEqual([0, few.map(() => ['new-period', null])])
    expect([bench.chain.sent, bench.stateFiles()]).toEqual([[], before])
  })

  test('behavior: with a key, claimant and balance are checked', async () => {
    const chain = { balance: () => 2_000_000_000n, foreign: [`${coal}`] }
    await using bench = await createAgentBench({ feeds: few, chain })
    const { exitCode, lines } = await bench.run(['--once', '--dry-run', '--json'])
    const codes = lines.map(({ feed_id, error }) => [feed_id, error?.code])
    expect([exitCode, Object.fromEntries(codes), bench.chain.sent]).toEqual([
      2,
      { [`${wti}`]: 'balance', [`${coal}`]: 'feed_claimed', [`${nuclear}`]: 'balance' },
      [],
    ])
  })
})

test('behavior: with VERIFY, no decision is based on an unproven value', async () => {
  const between =
    (answer: AnswerRpc): AnswerRpc =>
    async (method, params) => {
      const answered = await answer(method, params)
      return method === 'state_get_dictionary_item' && 'result' in answered
        ? { result: { ...Object(answered.result), merkle_proof: '' } }
        : answered
    }
  await using bench = await createAgentBench({ feeds: few, between })
  const { exitCode, lines } = await bench.run(['--once', '--json'], {
    VERIFY: 'proofs',
    RPC_TIMEOUT_MS: '500',
  })
  expect([exitCode, new Set(lines.map(({ decision }) => decision)), bench.chain.sent]).toEqual([
    2,
    new Set([null]),
    [],
  ])
})

describe('errors that prevent a start', () => {
  /** Nothing on standard output, one reason in the log, exit code 1. */
  async function expectNothingRan(
    bench: AgentBench,
    args: readonly string[],
    settings: Record<string, string>,
    ...reasons: readonly (readonly [string, RegExp])[]
  ): Promise<void> {
    const { exitCode, stdout, stderr } = await bench.run(args, settings)
    const logged = logOf(stderr).filter(({ level }) => level === 50)
    expect([exitCode, stdout]).toEqual([1, ''])
    expect<unknown>(logged).toEqual(
      reasons.map(([code, msg]) => expect.objectContaining({ code, error: expect.stringMatching(msg) })),
    )
    expectNoSecret(bench, stderr)
  }

  const checkpoint = { VERIFY: 'full', TRUSTED_BLOCK_HASH: 'ab'.repeat(32), CHECKPOINT_FILE: '/proc/none/x' }
  const noKey = ['key', /does not exist; set ATTESTER_KEY_PATH/] as const

  test.each<[string, readonly string[], Record<string, string>, ...(readonly [string, RegExp])[]]>([
    [
      'settings',
      ['--once', '--json'],
      { EIA_API_KEY: '', ATTESTER_KEY_PATH: '', CASPER_RPC_URL: '', AGENT_PORT: 'x' },
      ['settings', /^EIA_API_KEY is not set/],
      ['settings', /^ATTESTER_KEY_PATH is not set/],
      ['settings', /^CASPER_RPC_URL is not set/],
      ['settings', /^AGENT_PORT is "x": it must be a whole number/],
    ],
    [
      'a checkpoint file that cannot be written',
      ['--once'],
      checkpoint,
      ['settings', /^CHECKPOINT_FILE .* cannot be written \(ENOENT\)/],
    ],
    ['a key file that does not exist', ['--once'], { ATTESTER_KEY_PATH: '/gone.pem' }, noKey],
    ['the same in a dry run', ['--once', '--dry-run'], { ATTESTER_KEY_PATH: '/gone.pem' }, noKey],
    [
      'a feed that is not in the feeds file',
      ['--once', '--feed', 'EIA.NOPE'],
      {},
      ['unknown_feed', /"EIA.NOPE"/],
    ],
    [
      'a state folder that cannot be created',
      ['--once'],
      { AGENT_STATE_DIR: '/proc/nothing' },
      ['unlockable', /ENOENT/],
    ],
  ])('error: %s', async (_, args, settings, ...reasons) => {
    await using bench = await createAgentBench({ feeds: few })
    await expectNothingRan(bench, args, settings, ...reasons)
  })

  test('error: a key file without a key, or a feeds file without a feed', async () => {
    await using bench = await createAgentBench({ feeds: few })
    const broken = { ATTESTER_KEY_PATH: bench.folder.write('broken.pem', pemOf('ed25519').slice(0, 60)) }
    await expectNothingRan(bench, ['--once'], broken, ['key', /does not contain an unencrypted/])
    const file = { FEEDS_FILE: bench.folder.write('broken.json', '[{}]') }
    await expectNothingRan(bench, ['--once'], file, ['feeds_file', /feed_id is missing: it must be/])
  })

  test('error: another agent on the same state folder, which is named', async () => {
    await using bench = await createAgentBench({ feeds: few })
    const first = Bun.spawn([...bench.command], {
      env: { PATH: process.env.PATH ?? '', ...bench.settings },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    try {
      while (!existsSync(`${bench.stateDir}/lock`)) await new Promise(setImmediate)
      await expectNothingRan(bench, ['--once'], {}, [
        'locked',
        new RegExp(`lock is locked by process ${first.pid} \\(agent\\); wait until it ends, or stop it$`),
      ])
    } finally {
      first.kill('SIGKILL')
      await first.exited
    }
    expect((await bench.run(['--once'])).exitCode).toBe(0)
  })

  test.skipIf(!hasPidNamespaces)(
    'error: another agent on it in another container, where each is process 1',
    async () => {
      await using bench = await createAgentBench({ feeds: few })
      const env = { PATH: process.env.PATH ?? '', ...bench.settings }
      const command = [...inPidNamespace, ...bench.command]
      const first = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'ignore' })
      try {
        while (!existsSync(`${bench.stateDir}/lock`)) await new Promise(setImmediate)
        const { exitCode, stderr } = await runToEnd([...command, '--once'], env)
        expect([exitCode, logOf(stderr).filter(({ level }) => level === 50)]).toMatchObject([
          1,
          [{ code: 'locked', error: expect.stringMatching(/lock is locked by process 1 \(agent\); wait/) }],
        ])
      } finally {
        first.kill('SIGKILL')
        await first.exited
      }
    },
  )

  test('error: a port that is in use', async () => {
    await using bench = await createAgentBench({ feeds: few })
    const { port } = new URL(bench.upstream.url)
    await expectNothingRan(bench, [], { AGENT_PORT: port }, [
      'listen',
      /^cannot listen on 127.0.0.1:\d+ \(EADDRINUSE\)/,
    ])
  })

  test('error: a state file that is damaged, or of a newer version', async () => {
    await using bench = await createAgentBench({ feeds: few })
    const path = statePath(bench.stateDir)
    const schema = {
      ...stateSchema,
      migrations: [...stateSchema.migrations, 'CREATE TABLE later (id INTEGER) STRICT;'],
    }
    openDatabase(path, schema)[Symbol.dispose]()
    await expectNothingRan(bench, ['--once'], {}, [
      'state_file',
      /was written by a newer version of wattfeed/,
    ])
    await Bun.write(path, 'x'.repeat(8_192))
    await expectNothingRan(bench, ['--once'], {}, ['state_file', /is damaged .*docs\/errors\.md describes/])
  })
})

describe('secrets', () => {
  const echo = (status: number) => (): Response =>
    Response.json(
      {
        error: {
          code: 'API_KEY_INVALID',
          message: 'k3y+of/the=EIA is no key, neither is k3y%2Bof%2Fthe%3DEIA',
        },
      },
      { status },
    )
  test.each([
    ['a refusal that repeats the key', echo(403), 'eia_key'],
    ['the same with status 200', echo(200), 'eia_key'],
    ['an empty body', answerWith(''), 'eia_empty_body'],
    ['a wish to be left alone', throttled('9999'), 'throttled'],
  ] as const)(
    'behavior: none is printed, logged or stored if EIA answers with %s',
    async (_, fault, code) => {
      await using bench = await createAgentBench({ feeds: few })
      bench.upstream.fail(fault, { times: 3 })
      const { exitCode, lines, stdout, stderr } = await bench.run(['--once', '--json'])
      expect([exitCode, lines.map(({ error }) => error?.code)]).toEqual([2, [code, code, code]])
      expectNoSecret(bench, stdout, stderr)
    },
  )

  test('behavior: none is printed, logged or stored if the node is on another chain', async () => {
    await using bench = await createAgentBench({ feeds: few })
    const settings = { CASPER_CHAIN_NAME: 'casper-other', LOG_LEVEL: 'trace' }
    const { exitCode, stdout, stderr } = await bench.run(['--once'], settings)
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining('the node serves the chain')])
    expectNoSecret(bench, stdout, stderr)
  })

  test('behavior: text that looks like the key is redacted, whatever its source', async () => {
    await using bench = await createAgentBench({ feeds: few })
    const feeds = few.map((feed) => ({ ...feed, unit: bench.settings.EIA_API_KEY }))
    const FEEDS_FILE = bench.folder.write('units.json', JSON.stringify(feeds))
    for (const args of [['--once', '--json'], ['--once']]) {
      const { stdout, stderr } = await bench.run(args, { FEEDS_FILE })
      expect([stdout, stderr]).toEqual([
        expect.stringContaining('[redacted]'),
        expect.stringContaining('[redacted]'),
      ])
      expectNoSecret(bench, stdout, stderr)
    }
  })

  test('behavior: a key that others can read causes a warning', async () => {
    await using bench = await createAgentBench({ feeds: few })
    bench.folder.write('key.pem', pemOf('ed25519'), 0o644)
    const { exitCode, stderr } = await bench.run(['--once'])
    expect([exitCode, logOf(stderr)]).toEqual([
      0,
      expect.arrayContaining([
        expect.objectContaining({ level: 40, msg: expect.stringContaining('is readable by others') }),
      ]),
    ])
  })
})

describe('without --once', () => {
  /** Starts the agent and waits for its first cycle. */
  async function start(bench: AgentBench, args: readonly string[] = ['--json']) {
    const child = Bun.spawn([...bench.command, ...args], {
      env: { PATH: process.env.PATH ?? '', ...bench.settings },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader()
    let log = ''
    while (!log.includes('"msg":"cycle finished"')) {
      const { value, done } = await reader.read()
      if (done) throw new Error(`the agent ended: ${log}`)
      log += value
    }
    const port = /"port":(\d+)/.exec(log)?.[1]
    return { child, url: `http://127.0.0.1:${port}` }
  }

  /** The metrics of a cycle whose balance was read: that comes right after it. */
  async function readMetrics(url: string): Promise<string> {
    for (;;) {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      if (/wattfeed_agent_balance_motes [1-9]/.test(metrics)) return metrics
    }
  }

  test.each(['SIGTERM', 'SIGINT'] as const)('default: runs until %s; exit code 0', async (signal) => {
    await using bench = await createAgentBench({ feeds: few, chain: { balance: () => 1_000_000_000_000n } })
    const { child, url } = await start(bench)
    const metrics = await readMetrics(url)
    const health = await (await fetch(`${url}/health`)).json()
    child.kill(signal)
    expect([await child.exited, existsSync(`${bench.stateDir}/lock`)]).toEqual([0, false])
    expect(parseLines(await new Response(child.stdout).text()).map(({ decision }) => decision)).toEqual([
      'new-period',
      'new-period',
      'new-period',
    ])
    expect(health).toEqual({
      status: 'ok',
      service: 'wattfeed-agent',
      reasons: [],
      feeds: 3,
      failing: 0,
      last_cycle_at: expect.any(Number),
      last_success_at: expect.any(Number),
      lost_periods: {},
      pending_transactions: 0,
      balance_days: expect.any(Number),
      feeds_file: { loaded_at: expect.any(Number), error: null },
    })
    expect(metrics).toContain('wattfeed_agent_decisions_total{decision="new-period"} 3\n')
    expect(metrics).toContain('wattfeed_eia_request_duration_seconds_count 3\n')
    expect(metrics).toContain('wattfeed_agent_executed_attestations_total 3\n')
    expect(metrics).toMatch(/wattfeed_agent_balance_motes 1000000000000\n/)
  })
})

describe('command line', () => {
  const run = (...args: string[]) => {
    const child = Bun.spawnSync([...wattfeed('agent'), ...args], { env: { PATH: process.env.PATH ?? '' } })
    return { exitCode: child.exitCode, stdout: `${child.stdout}`, stderr: `${child.stderr}` }
  }

  test('default: --version, and --help with settings, exit codes and examples', () => {
    expect(run('--version').stdout).toBe(`${manifest.version}\n`)
    const { exitCode, stdout } = run('--help')
    expect(exitCode).toBe(0)
    for (const word of [
      '--once',
      '--dry-run',
      '--feed',
      '--json',
      '--interval',
      'EIA_API_KEY',
      'Exit codes:',
    ])
      expect(stdout).toContain(word)
    expect(stdout).not.toContain(fileURLToPath(new URL('..', import.meta.url)))
  })

  test.each([[['--interval', 'daily=1y']], [['--interval', 'yearly=1d']], [['--onec']], [['now']]])(
    'error: %p',
    (args) => {
      expect(run(...args)).toEqual({ exitCode: 1, stdout: '', stderr: expect.stringMatching(/^error: /) })
    },
  )
})
