import { Type } from '@sinclair/typebox'
import type { Command } from 'commander'
import { intervalDefaults, readInterval } from './agent/intervals.ts'
import { type CommandOptions, createStopSignals, runAgentCommand } from './agent/run/agentCommand.ts'
import { type Platform, systemPlatform } from './agent/run/platform.ts'
import { agentHelp } from './agent/settings/agentHelp.ts'
import { agentSettings } from './agent/settings/agentSettings.ts'
import { formatStateStatus, readStateStatus } from './agent/state/stateStatus.ts'
import { createCommand } from './runtime/createCommand.ts'
import { parseSettings } from './runtime/settings/settings.ts'
import { endWithParent, onStopSignal } from './runtime/stopSignal.ts'
import { createTerminal } from './runtime/terminal.ts'

interface AgentCommandOptions {
  /** Whether the chain has just been created, so that a member of a committee may sign at once. @default false */
  isFreshChain?: boolean
  /** @default the system's */
  platform?: Platform
}

async function run(
  options: CommandOptions,
  { isFreshChain = false, platform = systemPlatform }: AgentCommandOptions,
): Promise<void> {
  endWithParent()
  const signals = createStopSignals(Bun.sleep)
  onStopSignal(signals.end)
  if (!options.once) process.on('SIGHUP', signals.reload)
  const exitCode = await runAgentCommand(options, {
    environment: process.env,
    platform,
    signals,
    isFreshChain,
    print: console.log,
  })
  process.exit(exitCode)
}

const statusSettings = Type.Object({ AGENT_STATE_DIR: agentSettings.properties.AGENT_STATE_DIR })

const statusHelp = `
Prints what the programs on a state folder have promised and not yet seen settled: transactions in flight, feeds that a process
works on, and reserved payments. For a member of a committee, also the roots of datasets that the members hold, and where they
differ. Reads only, also while an agent runs.

Settings: AGENT_STATE_DIR, the state folder (default: ${statusSettings.properties.AGENT_STATE_DIR.default})

Example:
  $ wattfeed agent status --json`

const createStatusCommand = () =>
  createCommand('status')
    .description('Prints the transactions in flight, and what else the state folder has.')
    .option('--json', 'print one JSON object on standard output')
    .addHelpText('after', statusHelp)
    .action((_: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<{ json?: boolean }>()
      const stopped = { name: 'agent status', json, leaves: 'nothing was printed' }
      return createTerminal('agent').run(stopped, async () => {
        const { agentStateDir } = parseSettings(statusSettings, process.env)
        const status = readStateStatus(agentStateDir)
        return { report: status, text: formatStateStatus(status) }
      })
    })

/** Tests give it another platform, such as one with a fast clock. */
export const createAgentCommand = (given: AgentCommandOptions = {}) =>
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
    .action((options: CommandOptions) => run(options, given))
    .addCommand(createStatusCommand())

export const agentCommand = createAgentCommand()

if (import.meta.main) await agentCommand.parseAsync()
