import { randomInt } from 'node:crypto'
import { IS_SOAK } from './soak.ts'

/** Settings of a soak that change what a seed does. */
const LENGTHS = [
  'SOAK',
  'FUZZ_RUNS',
  'SIM_DAYS',
  'STREAM_KILLS',
  'DISTURBANCES',
  'COMMITTEE_SEEDS',
  'ROOT_SEEDS',
  'KILL_ROUNDS',
]

interface SeedOptions {
  /** Environment variable that sets the seed. */
  name: string
  /** The test's path, for `bun test`. */
  file: string
  /** The seed outside a soak. @default 1 */
  usual?: number
  isSoak?: boolean
  env?: NodeJS.ProcessEnv
  print?: (command: string) => void
}

/**
 * Returns the seed of a random test. A soak draws a fresh one, because the same seed finds nothing new. It prints the command that
 * repeats the run at once, because a run that is killed prints nothing.
 */
export function seedOf(options: SeedOptions): number {
  const { name, file, usual = 1, isSoak = IS_SOAK, env = process.env, print = console.info } = options
  const given = env[name]
  if (given !== undefined) return Number(given)
  if (!isSoak) return usual
  const seed = randomInt(1_000_000_000)
  const settings = LENGTHS.flatMap((each) => (env[each] === undefined ? [] : `${each}=${env[each]}`))
  print([`${name}=${seed}`, ...settings, `bun test ${file}`].join(' '))
  return seed
}
