import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
// Preloads modules that are otherwise loaded on first use: virtual time cannot wait for a file.
import 'hyparquet-writer'
import '../../packages/base/src/bytes/redact.ts'
import '../../packages/wattfeed/src/client/feeds/known.ts'
import { createFolder } from '@wattfeed/testing/folder'
import { seedOf } from '@wattfeed/testing/seed'
import { hasSmallDisks, onSmallDisk } from '@wattfeed/testing/smallDisk'
import { createVirtualTime } from '../support/virtualTime.ts'
import { DISK_SIZE } from './simulation/agentDisk.ts'
import { bootChain } from './simulation/bootChain.ts'
import { createChance } from './simulation/chance.ts'
import { createEiaModel } from './simulation/eiaModel.ts'
import { priceDataset } from './simulation/priceDataset.ts'
import { runSimulation, type Simulation } from './simulation/runSimulation.ts'

/*
 * Runs SIM_DAYS days of the agent, with events from SIM_SEED. A failed run prints the differences and the events before
 * them, each with its simulated time. SIM_LOG names a file for all events. Every run prints the digest of the chain's
 * values, which allows comparing two versions of the code.
 */
const DAYS = Number(process.env.SIM_DAYS ?? 3)
const SEED = seedOf({ name: 'SIM_SEED', file: 'tests/endToEnd/simulation' })
const MOST_SHOWN = 20
const MOST_LINES = 100

/** Enough for a machine ten times slower. */
const TIMEOUT_MS = 300_000 + DAYS * 60_000

/** Where this process sees the disk of the agent's files; null in the process that starts it, or without small disks. */
const DISK = process.env.SIM_DISK ?? null

/** Returns the command that repeats a failed run, the reason, and the events up to the first violation. */
function report({ violations, script, counts }: Simulation): string {
  const [first = ''] = violations
  const before = script.filter((line) => line.slice(0, 19) <= first.slice(0, 19)).slice(-MOST_LINES)
  const more = violations.length - MOST_SHOWN
  const others = more > 0 ? [`and ${more} more`] : []
  const repeat = `SIM_SEED=${SEED} SIM_DAYS=${DAYS} bun test tests/endToEnd/simulation.soak.test.ts`
  const shown = violations.slice(0, MOST_SHOWN)
  return [repeat, ...shown, ...others, '', ...before, JSON.stringify(counts)].join('\n  ')
}

/** Returns all events with the violations between them, and the chain's digest. */
const logOf = ({ violations, script, digest }: Simulation): string =>
  [
    ...[...script, ...violations.map((each) => each.replace(' ', ' VIOLATION '))].toSorted(),
    `chain ${digest}`,
  ].join('\n')

/** Runs this test in a process that sees a disk of its own, which the simulation fills and frees. */
async function simulateOnDisk(): Promise<void> {
  using folder = createFolder()
  const command = [...onSmallDisk(folder.path, DISK_SIZE), process.execPath, 'test', import.meta.path]
  const child = Bun.spawn(command, {
    env: { ...process.env, SIM_DISK: folder.path, SIM_SEED: `${SEED}` },
    stdout: 'inherit',
    stderr: 'inherit',
  })
  expect(await child.exited).toBe(0)
}

async function simulate(): Promise<void> {
  const { random } = createChance(SEED, 'time')
  const feeds = createEiaModel(createChance(SEED, 'time')).feeds.map(({ config }) => config)
  const booted = await bootChain([...feeds, priceDataset], { protocol: '2.0.3' })
  const time = createVirtualTime(random)
  try {
    const simulation = await runSimulation({ days: DAYS, seed: SEED, booted, time, diskFolder: DISK })
    console.info(`chain ${simulation.digest}, SIM_SEED=${SEED} SIM_DAYS=${DAYS}`)
    if (process.env.SIM_LOG) writeFileSync(process.env.SIM_LOG, logOf(simulation))
    if (simulation.violations.length > 0) throw new Error(report(simulation))
    expect(simulation.counts.transactions).toBeGreaterThan(DAYS * 10)
  } finally {
    time.restore()
  }
}

test(
  `behavior: ${DAYS} days of releases, revisions, outages, restarts and units: the chain has what EIA has`,
  hasSmallDisks && DISK === null ? simulateOnDisk : simulate,
  TIMEOUT_MS,
)
