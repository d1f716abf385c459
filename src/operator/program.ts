import type { Command } from 'commander'
import {
  type AgentNeeds,
  type AgentSettings,
  agentSecrets,
  readAgentSettings,
} from '../agent/settings/agentSettings.ts'
import { createCommand } from '../runtime/createCommand.ts'
import { similarNames } from '../runtime/misspelt.ts'
import type { Environment, Settings } from '../runtime/settings.ts'
import { createTerminal, type Terminal } from '../runtime/terminal.ts'

/** A program with several commands. Each adds itself to it. */
export interface Program extends ProgramContext {
  command: Command
  /** Adds a command, which can print JSON. */
  add(name: string, description: string, help: string): Command
}

/** The environment of a command. */
export interface ProgramContext {
  terminal: Terminal
  environment: Environment
}

/** The option of every command. */
export interface JsonOption {
  json?: boolean
}

/** The options of a command that writes. */
export interface WriteOptions extends JsonOption {
  dryRun?: boolean
}

/** Creates a program without its commands. */
export function createProgram(
  name: string,
  { description, help, environment }: { description: string; help: string; environment: Environment },
): Program {
  const command = createCommand(name).description(description).addHelpText('after', help)
  return {
    command,
    terminal: createTerminal(name),
    environment,
    add: (name, description, help) =>
      command
        .command(name)
        .description(description)
        .option('--json', 'print one JSON object on standard output')
        .addHelpText('after', help),
  }
}

/**
 * Reads the settings of a program that reads the registries or attests, hides their secrets, and warns about variables
 * with similar names.
 *
 * @param shown the settings in the help
 * @throws {SettingsError}
 */
export function readSettings(
  { environment, terminal }: ProgramContext,
  needs: AgentNeeds,
  shown: Settings,
): AgentSettings {
  const settings = readAgentSettings(environment, needs, shown)
  terminal.hide(agentSecrets(settings))
  for (const message of similarNames(environment, shown)) terminal.warn(message)
  return settings
}
