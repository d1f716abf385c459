import { afterAll, beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
// What is loaded when it is first needed: no clock that stands still can wait for a file.
import '../../src/bytes/redact.ts'
import '../../src/client/feedListCache.ts'
import { createVirtualTime, type VirtualTime } from '../support/virtualTime.ts'
import { type BootedChain, bootChain } from './simulation/bootChain.ts'
import { createChance } from './simulation/chance.ts'
import { createEiaModel } from './simulation/eiaModel.ts'
import { runSimulation, type Simulation } from './simulation/runSimulation.ts'

/*
 * SIM_DAYS days of the agent, with everything that happens in them from SIM_SEED. A run that fails prints what differs and
 * what happened before, each with its simulated time; SIM_LOG names a file to write all of it to. Every run prints the
 * digest of the chain's values, by which two versions of the code can be compared.
 */
const DAYS = Number(process.env.SIM_DAYS ?? 3)
const SEED = Number(process.env.SIM_SEED ?? 1)
const MOST_SHOWN = 20
const MOST_LINES = 100

/** For a machine ten times slower. */
const TIMEOUT_MS = 300_000 + DAYS * 60_000

let booted: BootedChain
let time: VirtualTime

beforeAll(async () => {
  const { random } = createChance(SEED, 'time')
  booted = await bootChain(createEiaModel(createChance(SEED, 'time')).feeds.map(({ config }) => config))
  time = createVirtualTime(random)
}, TIMEOUT_MS)

afterAll(() => time.restore())

/** How to repeat a run that failed, why it did, and what happened until its first violation. */
function report({ violations, script, counts }: Simulation): string {
  const [first = ''] = violations
  const before = script.filter((line) => line.slice(0, 19) <= first.slice(0, 19)).slice(-MOST_LINES)
  const more = violations.length - MOST_SHOWN
  const others = more > 0 ? [`and ${more} more`] : []
  const repeat = `SIM_SEED=${SEED} SIM_DAYS=${DAYS} bun test tests/endToEnd/simulation.test.ts`
  const shown = violations.slice(0, MOST_SHOWN)
  return [repeat, ...shown, ...others, '', ...before, JSON.stringify(counts)].join('\n  ')
}

/** Everything that happened, with the violations in between, and the chain's digest. */
const logOf = ({ violations, script, digest }: Simulation): string =>
  [
    ...[...script, ...violations.map((each) => each.replace(' ', ' VIOLATION '))].toSorted(),
    `chain ${digest}`,
  ].join('\n')

test(
  `behavior: ${DAYS} days of releases, revisions, outages, restarts and units: the chain has what EIA has`,
  async () => {
    const simulation = await runSimulation({ days: DAYS, seed: SEED, booted, time })
    console.info(`chain ${simulation.digest}, SIM_SEED=${SEED} SIM_DAYS=${DAYS}`)
    if (process.env.SIM_LOG) writeFileSync(process.env.SIM_LOG, logOf(simulation))
    if (simulation.violations.length > 0) throw new Error(report(simulation))
    expect(simulation.counts.transactions).toBeGreaterThan(DAYS * 10)
  },
  TIMEOUT_MS,
)
