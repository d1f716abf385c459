import { expect, test } from 'bun:test'
import '../../src/bytes/redact.ts'
import '../../src/client/liveCache.ts'
import '../../src/client/newestBlocks.ts'
import { createRandom } from '../support/random.ts'
import { createVirtualTime } from '../support/virtualTime.ts'
import { bootChain } from './simulation/bootChain.ts'
import { createEiaModel } from './simulation/eiaModel.ts'
import { runSimulation, type Simulation } from './simulation/runSimulation.ts'

const DAYS = Number(process.env.SIM_DAYS ?? 3)
const SEED = Number(process.env.SIM_SEED ?? 1)

test('all', async () => {
  console.error('boot')
  const booted = await bootChain(createEiaModel(Math.random).feeds.map(({ config }) => config))
  console.error('booted')
  const time = createVirtualTime(createRandom(SEED))
  const t0 = process.cpuUsage()
  const { violations, script, counts }: Simulation = await runSimulation({ days: DAYS, seed: SEED, booted, time })
  const { user, system } = process.cpuUsage(t0)
  console.log(SEED, (user + system) / 1e6, JSON.stringify(counts))
  if (process.env.SIM_SCRIPT) await Bun.write(process.env.SIM_SCRIPT, script.join('\n'))
  console.log(Bun.hash(script.join('\n')))
  time.restore()
  expect(violations).toEqual([])
}, 600_000)
