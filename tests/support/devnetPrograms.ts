import { fileURLToPath } from 'node:url'
import { wattfeed } from './binary.ts'
import { type Ended, type RunningProgram, type Settings, spawnProgram } from './program.ts'

const programs = {
  agent: wattfeed('agent'),
  contracts: wattfeed('contracts'),
  devnet: wattfeed('devnet'),
  // With this repository's packages for the prover.
  eligibility: [process.execPath, fileURLToPath(new URL('../../src/eligibility.ts', import.meta.url))],
  feeds: wattfeed('feeds'),
  server: wattfeed('serve'),
  verify: wattfeed('verify'),
} as const

/** A program of wattfeed, by the name of its command. */
export type ProgramName = keyof typeof programs

/** Starts a program of wattfeed in a separate process, with only these settings. */
export const startDevnetProgram = (
  name: ProgramName,
  args: readonly string[],
  settings: Settings,
  cwd: string,
): RunningProgram =>
  spawnProgram([...programs[name], ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', ...settings },
  })

/** Runs a program until it exits. */
export const runDevnetProgram = (...program: Parameters<typeof startDevnetProgram>): Promise<Ended> =>
  startDevnetProgram(...program).ended
