import { Command } from 'commander'
import { runLiveDemo } from './demo/liveDemo.ts'
import { runRecordedDemo } from './demo/recordedDemo.ts'

const description = `Starts a chain, the agent and the server on this machine, to try everything without a network.

The chain executes the real contracts; the figures are invented. With --recorded, the server reads recorded exchanges
of a real Casper 2.0.3 network instead, and nothing is attested; those values are test data.`

const help = `
Environment:
  PORT         where the server listens (default 4030; 0 takes a free port)
  HOST         the address that it listens on (default 127.0.0.1)
  DEVNET_PORT  where the chain listens (default 11101, or a free port where that is taken)`

await new Command('demo')
  .description(description)
  .option('--recorded', 'replay the recorded chain')
  .addHelpText('after', help)
  .action(async ({ recorded }: { recorded?: boolean }) => {
    const run = recorded ? runRecordedDemo : runLiveDemo
    process.exitCode = await run(process.env, nextStopSignal())
  })
  .parseAsync()

function nextStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
}
