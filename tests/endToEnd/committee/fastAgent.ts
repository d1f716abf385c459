import { createAgentCommand } from '../../../src/agent.ts'
import { fastPlatform } from './fastClock.ts'

/** The agent's command with a fast clock. These two are settings of tests: no command of wattfeed reads them. */
const { CLOCK_STARTED_AT, IS_FRESH_CHAIN } = process.env

await createAgentCommand({
  isFreshChain: IS_FRESH_CHAIN === 'true',
  platform: fastPlatform(Number(CLOCK_STARTED_AT)),
}).parseAsync()
