import { sleep } from '@wattfeed/base'
import type { Platform } from '../../../src/agent/run/platform.ts'
import { NOW } from '../../agent/run/fakes.ts'

/** How fast the clock of a committee's chain and agents is. A slot of 30 s then takes three. */
export const SPEED = 10

/** Returns a clock that showed the day of the tests at a moment of this machine's, in epoch milliseconds. */
export const fastClock =
  (startedAt: number): Platform['now'] =>
  () =>
    NOW + (Date.now() - startedAt) * SPEED

/**
 * A platform on which all times of an agent are shorter by the same factor: slots, lifetimes, polls and pauses. They keep
 * their relations, so its rules are those of other agents.
 */
export const fastPlatform = (startedAt: number): Platform => ({
  async fetch(url, init) {
    const response = await fetch(url, init)
    // The servers' clocks have the speed of this machine's.
    response.headers.delete('date')
    return response
  },
  now: fastClock(startedAt),
  steadyNow: () => performance.now() * SPEED,
  wait: (ms, signal) => sleep(ms / SPEED, signal),
  random: Math.random,
})
