import { expect, test } from 'bun:test'
import { seedOf } from '../src/seed.ts'

const simulation = { name: 'SIM_SEED', file: 'tests/endToEnd/simulation' }

/** Draws a seed, and collects what is printed. */
function draw(options: Partial<Parameters<typeof seedOf>[0]>): { seed: number; printed: string[] } {
  const printed: string[] = []
  const seed = seedOf({ ...simulation, env: {}, print: (command) => printed.push(command), ...options })
  return { seed, printed }
}

test('default: always the same seed', () => {
  expect(draw({ isSoak: false })).toEqual({ seed: 1, printed: [] })
  expect(draw({ isSoak: false, usual: 19 })).toEqual({ seed: 19, printed: [] })
})

test('behavior: a soak draws a fresh seed, and prints the command that repeats the run', () => {
  const env = { SOAK: '1', SIM_DAYS: '60', PATH: '/bin' }
  const { seed, printed } = draw({ isSoak: true, env })
  expect(printed).toEqual([`SIM_SEED=${seed} SOAK=1 SIM_DAYS=60 bun test tests/endToEnd/simulation`])
  expect(draw({ isSoak: true, env }).seed).not.toBe(seed)
})

test('behavior: a given seed is taken, in a soak as well', () => {
  expect(draw({ isSoak: true, env: { SIM_SEED: '7' } })).toEqual({ seed: 7, printed: [] })
})
