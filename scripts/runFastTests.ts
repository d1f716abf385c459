import timings from '../tests/timings.json' with { type: 'json' }

/* Runs the test files that a newcomer waits for: those that take at most two seconds alone, new ones, and the simulation. */

const MAX_MS = 2_000

/** The short form of the simulation. It compares chain, health and metrics with a model, which no fast test does. */
const SIMULATION = 'tests/endToEnd/simulation.test.ts'

const measured: Readonly<Record<string, number>> = timings.files

const patterns = ['tests/**/*.test.ts', 'packages/*/tests/**/*.test.ts']
const files = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync()])
const fast = files.filter((file) => file === SIMULATION || (measured[file] ?? 0) <= MAX_MS)

console.log(
  `${fast.length} of ${files.length} test files: those that take at most ${MAX_MS / 1000} s, and the simulation. \`bun run check:all\` runs all.`,
)
const options = ['--parallel=3', '--no-isolate', '--timings=tests/timings.json', '--timeout', '300000']
const paths = fast.map((file) => `./${file}`)
const { exitCode } = Bun.spawnSync([process.execPath, 'test', ...options, ...paths], {
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exit(exitCode)
