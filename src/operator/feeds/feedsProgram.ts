import type { Command } from 'commander'
import {
  type AgentNeeds,
  type AgentSettings,
  agentSecrets,
  readAgentSettings,
} from '../../agent/settings/agentSettings.ts'
import { createCommand } from '../../runtime/createCommand.ts'
import { similarNames } from '../../runtime/misspelt.ts'
import type { Environment } from '../../runtime/settings.ts'
import { type CommandResult, createTerminal, type Terminal } from '../../runtime/terminal.ts'
import { feedsHelp, feedsSettings } from './settings.ts'

/** The program `feeds`. Each command adds itself to it. */
export interface FeedsProgram {
  command: Command
  terminal: Terminal
  /** Adds a command, which can print JSON. */
  add(name: string, description: string, help: string): Command
  /** Runs a command with the settings that it needs. */
  run(
    name: string,
    options: JsonOption,
    needs: AgentNeeds,
    work: (settings: AgentSettings) => Promise<CommandResult>,
  ): Promise<void>
}

/** The option of every command. */
export interface JsonOption {
  json?: boolean
}

/** The options of a command that writes. */
export interface WriteOptions extends JsonOption {
  dryRun?: boolean
}

/** A command that writes can check everything first. */
export const dryRunOption = ['--dry-run', 'check everything and write nothing'] as const

/** The needs of a command that only reads the chain and files. */
export const readsOnly: AgentNeeds = { writes: false, fetches: false }

/** Creates the program without its commands. */
export function createFeedsProgram(environment: Environment): FeedsProgram {
  const terminal = createTerminal('feeds')
  const command = createCommand('feeds')
    .description('Finds, adds, checks, registers, attests and lists the feeds of wattfeed.')
    .addHelpText('after', feedsHelp)
  return {
    command,
    terminal,
    add: (name, description, help) =>
      command
        .command(name)
        .description(description)
        .option('--json', 'print one JSON object on standard output')
        .addHelpText('after', help),
    run: (name, { json }, needs, work) =>
      terminal.run({ name, json }, () => {
        const settings = readAgentSettings(environment, needs, feedsSettings)
        terminal.hide(agentSecrets(settings))
        for (const message of similarNames(environment, feedsSettings)) terminal.warn(message)
        return work(settings)
      }),
  }
}
