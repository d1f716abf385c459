import { writeAtomically } from '@wattfeed/base/disk'
import type { Devnet } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { createFolder, type Folder } from '@wattfeed/testing/folder'
import { patientSettings } from '@wattfeed/testing/patience'
import { answerEia as answerUpstream, type UpstreamRow } from '../../../../packages/eia/src/answerEia.ts'
import type { AgentEvent } from '../../../../src/agent/events.ts'
import { outcomeFields } from '../../../../src/agent/feedOutcome.ts'
import { defaultIntervals } from '../../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../../src/agent/monitor/agentMetrics.ts'
import { type AgentOptions, runAgent } from '../../../../src/agent/run/runAgent.ts'
import { readAgentSettings } from '../../../../src/agent/settings/agentSettings.ts'
import { upstreamDatasets } from '../../../../src/demo/standIn/upstreamDatasets.ts'
import type { Log } from '../../../../src/runtime/log.ts'
import { freePort } from '../../../support/ports.ts'
import { NOW, turn } from '../../run/fakes.ts'
import { viewsOf } from '../../support/openView.ts'
import { BLOCK_MS, bootChain, CHAIN_NAME, dataset, feeds } from './committeeBench.ts'

/** How often a member does its regular work. */
const TICK_MS = 2_000
/** After this time, the bench says what does not end. It is longer than the time limits of all calls. */
const HANGING_MS = 200_000

/** A member's agent in this process, which is a process of its own in reality. */
export interface BenchAgent {
  readonly name: string
  /** Its outcomes as JSON would have them. */
  readonly outcomes: ReturnType<typeof outcomeFields>[]
  readonly logged: {
    readonly level: string
    readonly fields: Record<string, unknown>
    readonly message: string
  }[]
  /** What EIA has for it: a value for each day. */
  readonly values: Map<string, string>
  /** What EIA has for it of the dataset. */
  rows: readonly UpstreamRow[]
  readonly settings: ReturnType<typeof readAgentSettings>
  stop(): Promise<void>
  metrics(): Promise<string>
  health(): Promise<unknown>
}

export interface AgentsBench extends AsyncDisposable {
  readonly devnet: Devnet
  readonly folder: Folder
  readonly agents: readonly BenchAgent[]
  /** Publishes a value of all feeds, for all members. */
  publish(day: string, value: string): void
  /** Lets time pass until something is true; throws if it takes an hour of the chain's time. */
  until(isTrue: () => boolean | Promise<boolean>): Promise<void>
  /** `period amount` of everything that was attested for a feed, oldest first. */
  historyOf(feedId: string): Promise<string[]>
  /** The source hashes of everything that was attested for a feed, oldest first: of a dataset, its roots. */
  rootsOf(feedId: string): Promise<string[]>
  /** The chain's time. */
  time(): number
  /** What a member's other programs run with, and what EIA has for them if it is not the same. */
  programOf(
    index: number,
    values?: ReadonlyMap<string, string>,
    rows?: () => readonly UpstreamRow[],
  ): Pick<AgentOptions, 'settings' | 'platform'>
}

export interface AgentsBenchOptions {
  readonly threshold: number
  /** @default 5 */
  readonly members?: number
  /** The members whose agents run. @default all */
  readonly running?: readonly number[]
  /** What EIA has when the agents start. @default a value of 2026-11-16 */
  readonly values?: readonly (readonly [day: string, value: string])[]
  /** What EIA has for some members, by their numbers. */
  readonly valuesOf?: Readonly<Record<number, AgentsBenchOptions['values']>>
  /** What EIA has of the dataset when the agents start. Then they attest its roots, too. @default no dataset */
  readonly rows?: readonly UpstreamRow[]
  /** What EIA has of it for some members, by their numbers. */
  readonly rowsOf?: Readonly<Record<number, readonly UpstreamRow[]>>
  /** The public key of a recovery key in the members file. @default none */
  readonly vault?: string
  /** Whether each agent archives the rows behind its values. @default false */
  readonly archives?: boolean
  /** Whether the agents do a member's work. @default true */
  readonly ticks?: boolean
  readonly options?: Partial<AgentOptions>
}

/** Starts the agents of a committee. They call each other over sockets; time passes only when they all wait. */
export async function startAgents({
  threshold,
  members: count = 5,
  running = Array.from({ length: count }, (_, index) => index),
  values: common = [['2026-11-16', '59.91']],
  valuesOf = {},
  rows: datasetRows,
  rowsOf = {},
  vault,
  archives = false,
  ticks = true,
  options = {},
}: AgentsBenchOptions): Promise<AgentsBench> {
  const booted = await bootChain(count, threshold)
  let time = NOW
  const devnet = booted.devnet.fork({ now: () => time })
  devnet.produceBlock()
  const folder = createFolder('in memory')
  const waits: { at: number; ms: number; end: () => void }[] = []
  /** The calls in progress. */
  const underWay = new Set<{ readonly url: string }>()
  let failure: { name: string; error: unknown } | null = null

  const ports = await Promise.all(devnet.accounts.map(() => freePort()))
  const attested = datasetRows === undefined ? feeds : [...feeds, dataset]
  const feedsFile = folder.write('feeds.json', JSON.stringify(attested))
  const peersFile = folder.write(
    'members.json',
    JSON.stringify({
      // Before the committee is set up, the account has a lower threshold than the file.
      thresholds: { deployment: Math.max(3, threshold), keyManagement: Math.max(3, threshold) },
      members: [
        ...devnet.accounts.map(({ publicKey }, index) => ({
          publicKey,
          weight: 1,
          name: `m${index}`,
          address: `http://127.0.0.1:${ports[index]}`,
        })),
        ...(vault === undefined
          ? []
          : [{ publicKey: vault, weight: Math.max(3, threshold), recovery: true }]),
      ],
    }),
  )

  const wait = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted()
      const waiting = { at: time + ms, ms, end: resolve }
      waits.push(waiting)
      signal.addEventListener(
        'abort',
        () => {
          if (waits.includes(waiting)) waits.splice(waits.indexOf(waiting), 1)
          reject(signal.reason)
        },
        { once: true },
      )
    })

  function programOf(
    index: number,
    values: ReadonlyMap<string, string> = new Map(common),
    rows: () => readonly UpstreamRow[] = () => datasetRows ?? [],
  ) {
    const name = `m${index}`
    const settings = readAgentSettings(
      {
        EIA_API_KEY: 'k3y',
        EIA_BASE_URL: 'http://eia.test',
        EIA_RPS: '1000',
        FEEDS_FILE: feedsFile,
        ATTESTER_KEY_PATH: folder.write(`${name}.pem`, booted.secretKeys[index] ?? ''),
        ATTESTER_ACCOUNT: devnet.accounts[0]?.publicKey ?? '',
        AGENT_STATE_DIR: `${folder.path}/${name}`,
        AGENT_PORT: '0',
        CASPER_RPC_URL: 'http://node.test/rpc',
        CASPER_CHAIN_NAME: CHAIN_NAME,
        FEED_REGISTRY_PACKAGE_HASH: booted.packages.FeedRegistry,
        ATTESTATION_REGISTRY_PACKAGE_HASH: booted.packages.AttestationRegistry,
        COMMITTEE_PEERS: peersFile,
        COMMITTEE_LISTEN: `127.0.0.1:${ports[index]}`,
        ...patientSettings,
        ...(archives && { ARCHIVE_FILE: `${folder.path}/${name}.db` }),
      },
      { writes: true, fetches: true },
    )
    const node = localFetch(devnet.call)
    const send = (url: string, init: RequestInit): Promise<Response> => {
      if (url.startsWith('http://node.test')) return node(url, init)
      if (!url.startsWith('http://eia.test')) return fetch(url, init)
      return Promise.resolve(isOfDataset(url) ? answerDataset(url, rows()) : answerEia(url, values))
    }
    const platform: AgentOptions['platform'] = {
      async fetch(url, init) {
        const call = { url }
        underWay.add(call)
        try {
          const response = await send(url, init)
          const body = await response.arrayBuffer()
          return new Response(body, response)
        } finally {
          underWay.delete(call)
        }
      },
      now: () => time,
      wait,
      random: () => 0.5,
    }
    return { settings, platform }
  }

  function start(index: number): BenchAgent {
    const values = new Map(valuesOf[index] ?? common)
    const outcomes: BenchAgent['outcomes'] = []
    const logged: BenchAgent['logged'] = []
    const note = (level: string) => (fields: object, message: string) =>
      void logged.push({ level, fields: { ...fields }, message })
    const log: Log = { info: note('info'), warn: note('warn'), error: note('error') }
    const name = `m${index}`
    const stopping = new AbortController()
    const metrics = createAgentMetrics()
    const { settings, platform } = programOf(index, values, () => agent.rows)
    const ended = runAgent({
      settings,
      platform,
      feeds: attested,
      intervals: defaultIntervals,
      isOnce: false,
      isDryRun: false,
      isFreshChain: true,
      log,
      metrics,
      onEvent(event: AgentEvent) {
        if (event.event === 'outcome') outcomes.push(outcomeFields(event.outcome))
      },
      stop: stopping.signal,
      abandon: new AbortController().signal,
      ...options,
    })
    ended.catch((error) => {
      failure ??= { name, error }
    })
    const agent: BenchAgent = {
      name,
      outcomes,
      logged,
      values,
      rows: rowsOf[index] ?? datasetRows ?? [],
      settings,
      metrics: () => metrics.text(),
      async health() {
        const port = logged.find(({ message }) => message === 'serving /metrics and /health')?.fields.port
        return (await fetch(`http://127.0.0.1:${port}/health`)).json()
      },
      async stop() {
        stopping.abort()
        await ended
      },
    }
    return agent
  }

  /** Waits until no call is in progress, and each member waits for its next work. */
  async function idle(): Promise<void> {
    const startedAt = performance.now()
    // Without ticks, nothing shows whether an agent waits for the disk. A slow disk slows the bench's time, too.
    if (!ticks) await writeAtomically(`${folder.path}/idle`, '')
    for (let quiet = 0; quiet < 50; quiet++) {
      await turn()
      if (failure !== null)
        throw new Error(`the agent of ${failure.name} has ended`, { cause: failure.error })
      const ticking = waits.filter(({ ms }) => ms === TICK_MS).length
      if (underWay.size > 0 || (ticks && ticking < agents.length)) quiet = 0
      if (performance.now() > startedAt + HANGING_MS)
        throw new Error(
          `${ticking} of ${agents.length} agents wait; in progress: ${JSON.stringify([...underWay])}; waits: ${JSON.stringify(waits)}`,
        )
    }
  }

  function passSecond(): void {
    time += 1_000
    if (time % BLOCK_MS === 0) devnet.produceBlock()
    for (const due of waits.filter(({ at }) => at <= time)) {
      waits.splice(waits.indexOf(due), 1)
      due.end()
    }
  }

  async function step(): Promise<void> {
    passSecond()
    await idle()
  }

  /** Stops the agents. They follow their transactions to the end. */
  async function end(): Promise<void> {
    let isStopped = false
    const stopped = Promise.allSettled(agents.map(({ stop }) => stop())).finally(() => {
      isStopped = true
    })
    while (!isStopped) {
      passSecond()
      for (let turns = 0; turns < 50; turns++) await turn()
    }
    folder[Symbol.dispose]()
    for (const each of await stopped) if (each.status === 'rejected') throw each.reason
  }

  const agents = running.map(start)
  const openView = viewsOf(
    {
      chainName: CHAIN_NAME,
      feedRegistryPackageHash: booted.packages.FeedRegistry,
      attestationRegistryPackageHash: booted.packages.AttestationRegistry,
    },
    devnet.call,
  )
  await idle().catch(async (error) => {
    await end().catch(() => {})
    throw error
  })
  return {
    devnet,
    folder,
    agents,
    time: () => time,
    programOf,
    publish(day, value) {
      for (const { values } of agents) values.set(day, value)
    },
    async until(isTrue) {
      for (const end = time + 3_600_000; !(await isTrue()); ) {
        if (time > end)
          throw new Error(`still waiting: ${JSON.stringify(agents.map(({ logged }) => logged.slice(-5)))}`)
        await step()
      }
    },
    async historyOf(feedId) {
      const { at } = await openView()
      return (await at.getValueHistory(feedId)).map(({ period, amount }) => `${period} ${amount}`)
    },
    async rootsOf(feedId) {
      const { at } = await openView()
      return (await at.getValueHistory(feedId)).map(({ source_hash }) => source_hash)
    },
    [Symbol.asyncDispose]: end,
  }
}

/** A request for the dataset does not name the series of a feed alone. */
function isOfDataset(text: string): boolean {
  const url = new URL(text)
  const series = url.searchParams.getAll('facets[series][]')
  return !feeds.some(({ facets }) => series.length === 1 && series[0] === facets.series)
}

const datasets = new Map(upstreamDatasets.map((each) => [each.route, each]))

/** Answers a request for rows of the dataset. */
function answerDataset(url: string, rows: readonly UpstreamRow[]): Response {
  const api = { datasets, rows: new Map([[dataset.route, rows]]), apiKey: null, maxRows: 5_000 }
  const { status, body } = answerUpstream(api, new URL(url))
  return Response.json(body, { status })
}

/** Answers a request for rows of a series, newest first. */
export function answerEia(url: string, values: ReadonlyMap<string, string>): Response {
  const { searchParams } = new URL(url)
  const facets = [...searchParams].map(([name, text]) => [/^facets\[(.*)\]\[\]$/.exec(name)?.[1] ?? '', text])
  const rows = [...values]
    .sort(([one], [other]) => (one < other ? 1 : -1))
    .map(([period, value]) => ({ ...Object.fromEntries(facets), period, value, units: '$/BBL' }))
  const offset = Number(searchParams.get('offset'))
  const data = rows.slice(offset, offset + Number(searchParams.get('length')))
  return Response.json({ response: { total: `${rows.length}`, data } })
}
