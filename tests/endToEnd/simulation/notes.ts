import { transactionOf } from '../../../src/agent/feedOutcome.ts'
import type { VirtualTime } from '../../support/virtualTime.ts'
import type { AgentRunsOptions } from './agentRuns.ts'
import type { Simulation } from './runSimulation.ts'
import type { World } from './world.ts'

/** The record of a simulation. */
export interface Notes
  extends Omit<Simulation, 'digest'>,
    Pick<World, 'tell'>,
    Pick<AgentRunsOptions, 'onOutcome' | 'onLog' | 'object'> {}

/** Creates an empty record. */
export function createNotes(time: Pick<VirtualTime, 'trueMs'>): Notes {
  const [violations, script]: string[][] = [[], []]
  const counts: Record<string, number> = {}
  const stamp = (text: string): string => `${new Date(time.trueMs()).toISOString().slice(0, 19)} ${text}`
  const note = (text: string): void => void script?.push(stamp(text))
  const count = (what: string, by = 1): void => {
    counts[what] = (counts[what] ?? 0) + by
  }
  return {
    violations: violations ?? [],
    script: script ?? [],
    counts,
    object: (violation) => void violations?.push(stamp(violation)),
    tell(what, details = '') {
      count(what)
      note(`${what} ${details}`)
    },
    onOutcome(outcome) {
      const { feedId, decision, result, error, caughtUp, revised } = outcome
      count(error === null ? `${decision}` : `error ${'code' in error ? error.code : error.name}`)
      count('caught up', caughtUp.length)
      count('revised', revised.length)
      if (error !== null || transactionOf(outcome) !== null)
        note(
          `agent: ${feedId} ${decision ?? error?.message} ${result?.period ?? null} +${caughtUp} ~${revised}`,
        )
    },
    onLog(level, fields, message) {
      if (level !== 'info') note(`log: ${message} ${JSON.stringify(fields)}`)
    },
  }
}
