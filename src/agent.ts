import { intervalDefaults, readInterval } from './agent/intervals.ts'
import { type CommandOptions, runAgentCommand } from './agent/run/agentCommand.ts'
import { createStopSignals } from './agent/run/stopSignals.ts'
import { agentHelp } from './agent/settings/agentHelp.ts'
import { sleep } from './async/sleep.ts'
import { createCommand } from './runtime/createCommand.ts'
import { endWithParent } from './runtime/endWithParent.ts'
import { onStopSignal } from './runtime/stopSignal.ts'

async function run(options: CommandOptions, isFreshChain: boolean): Promise<void> {
  endWithParent()
  const signals = createStopSignals(Bun.sleep)
  onStopSignal(signals.end)
  if (!options.once) process.on('SIGHUP', signals.reload)
  const exitCode = await runAgentCommand(options, {
    environment: process.env,
    platform: {
      fetch: (url, init) => fetch(url, init),
      now: Date.now,
      steadyNow: () => performance.now(),
      wait: sleep,
      random: Math.random,
    },
    signals,
    isFreshChain,
    print: console.log,
  })
  process.exit(exitCode)
}

/**
 * Creates the command.
 *
 * @param isFreshChain whether the chain has just been created, so that a member of a committee may sign at once
 */
export const createAgentCommand = (isFreshChain: boolean) =>
  createCommand('agent')
    .description('Attests new values of the EIA to a Casper chain.')
    .option('--once', 'try every feed once, then end')
    .option('--dry-run', 'check everything, but send nothing')
    .option('--feed <id>', 'this feed only; can be repeated', (id, ids: string[] = []) => [...ids, id])
    .option('--json', 'print one JSON object per line for each feed on standard output')
    .option(
      '--interval <frequency=duration>',
      `how often to poll feeds of a frequency, such as daily=30m; can be repeated (default: right after each release if its hour is known, then once a day; otherwise ${intervalDefaults})`,
      readInterval,
    )
    .addHelpText('after', agentHelp)
    .action((options: CommandOptions) => run(options, isFreshChain))

/** `wattfeed agent` */
export const agentCommand = createAgentCommand(false)

if (import.meta.main) await agentCommand.parseAsync()
