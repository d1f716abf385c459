import { sleep } from '@wattfeed/base'
import { balanceOf } from '@wattfeed/casper-devnet/testing/devnetBlocks'
import { createFolder } from '@wattfeed/testing/folder'
import { answerEia } from '../../../packages/eia/src/answerEia.ts'
import { defaultIntervals } from '../../../src/agent/intervals.ts'
import { createAgentMetrics } from '../../../src/agent/monitor/agentMetrics.ts'
import { createStopSignals } from '../../../src/agent/run/agentCommand.ts'
import { runAgent } from '../../../src/agent/run/runAgent.ts'
import { readAgentSettings } from '../../../src/agent/settings/agentSettings.ts'
import { isReleaseDue, releaseRows } from '../../../src/demo/standIn/releaseRows.ts'
import { createUpstream } from '../../../src/demo/standIn/upstream.ts'
import { isSeries } from '../../../src/feeds/file/feedConfig.ts'
import { loadFeeds } from '../../../src/feeds/file/loadFeeds.ts'
import { formatLogLine } from '../../../src/runtime/formatLogLine.ts'
import type { Log } from '../../../src/runtime/log.ts'
import { trackFiles } from '../../support/fileTime.ts'
import { createVirtualTime } from '../../support/virtualTime.ts'
import { bootChain } from '../simulation/bootChain.ts'
import { createChance } from '../simulation/chance.ts'
import { createNetwork, hosts, pause } from '../simulation/network.ts'

const SEED = 1
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A Thursday, on which EIA releases natural gas storage at 10:30 in New York. */
export const DAY = '2026-11-19'
const FEEDS = [
  'EIA.NG.STORAGE.L48_WORKING.WEEKLY',
  'EIA.PET.PRICE.WTI.DAILY',
  'EIA.PET.PRICE.BRENT.DAILY',
  'EIA.NG.PRICE.HENRYHUB.DAILY',
]

/** How long after a planned release EIA's API has its value. */
const DELAY_MS = 40_000

/** What the agent's account has at the start. */
const BALANCE_MOTES = 500n * 10n ** 9n

/** What an agent logged on a day, and the values of its metrics by name and labels. */
export interface RecordedDay {
  /** As a terminal shows them. */
  lines: readonly string[]
  before: ReadonlyMap<string, number>
  after: ReadonlyMap<string, number>
}

/**
 * Runs the agent for a day in virtual time, with default settings, the real contracts on the embedded chain, and the demo's
 * stand-in for EIA, which releases by the calendar. It has run since the evening before.
 */
export async function recordDay(): Promise<RecordedDay> {
  const dayMs = Date.parse(DAY)
  const startMs = dayMs - 2 * HOUR_MS
  const known = (await loadFeeds(null)).filter(isSeries)
  const feeds = FEEDS.flatMap((id) => known.filter(({ feed_id }) => feed_id === id))
  const booted = await bootChain(feeds, { startMs })
  const chance = (purpose: string) => createChance(SEED, purpose).random
  const time = createVirtualTime(chance('time'))
  try {
    await time.reset()
    time.setWall(startMs)
    using _files = trackFiles(time)
    using folder = createFolder()
    const devnet = booted.devnet.fork({ now: time.trueMs })
    const upstream = createUpstream()
    releaseRows(upstream, feeds, startMs)
    const answer = (url: URL) => {
      const releasedMs = time.trueMs() - DELAY_MS
      if (feeds.some((feed) => isReleaseDue(upstream, feed, releasedMs)))
        releaseRows(upstream, feeds, releasedMs)
      return answerEia(upstream.api, url)
    }
    const network = createNetwork({
      devnet,
      eia: { answer },
      time,
      random: chance('network'),
      onBlock: () => {},
    })
    const metrics = createAgentMetrics()
    const lines: string[] = []
    const at =
      (level: number) =>
      (fields: object, message: string): void => {
        const line = { level, time: time.trueMs(), msg: message, ...fields }
        lines.push(formatLogLine(JSON.stringify(line)).trimEnd())
      }
    const log: Log = { info: at(30), warn: at(40), error: at(50) }
    const signals = createStopSignals(pause)
    const [account] = devnet.accounts
    if (account === undefined) throw new Error('the chain has no account')
    network.hideMotes((await balanceOf(devnet, account.publicKey)) - BALANCE_MOTES)
    const settings = readAgentSettings(
      {
        EIA_API_KEY: 'any',
        EIA_BASE_URL: hosts.eia,
        ATTESTER_KEY_PATH: folder.write('key.pem', account.secretKeyPem),
        AGENT_STATE_DIR: `${folder.path}/state`,
        AGENT_PORT: '0',
        CASPER_RPC_URL: hosts.nodes.join(','),
        CASPER_CHAIN_NAME: devnet.chainName,
        FEED_REGISTRY_PACKAGE_HASH: booted.packages.FeedRegistry,
        ATTESTATION_REGISTRY_PACKAGE_HASH: booted.packages.AttestationRegistry,
      },
      { writes: true, fetches: true },
    )
    const run = runAgent({
      ...signals,
      settings,
      feeds,
      intervals: defaultIntervals,
      isOnce: false,
      isDryRun: false,
      isFreshChain: true,
      log,
      metrics,
      onEvent: () => {},
      platform: {
        fetch: network.fetch,
        now: Date.now,
        steadyNow: () => performance.now(),
        wait: (ms, signal) => sleep(ms, signal),
        random: chance('agent'),
      },
    })
    const day = async (): Promise<RecordedDay> => {
      await pause(dayMs - startMs)
      const before = await readMetrics(metrics)
      lines.length = 0
      await pause(DAY_MS)
      const after = await readMetrics(metrics)
      const own = [...lines]
      signals.end()
      await run
      return { lines: own, before, after }
    }
    return await time.settle(day())
  } finally {
    time.restore()
  }
}

async function readMetrics(metrics: { text(): Promise<string> }): Promise<Map<string, number>> {
  const samples = (await metrics.text()).matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)
  return new Map([...samples].map(([, name = '', value]) => [name, Number(value)]))
}
