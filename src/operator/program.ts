import { type Command, InvalidArgumentError } from 'commander'
import { createCommand } from '../runtime/createCommand.ts'
import type { Environment } from '../runtime/settings/settings.ts'
import { createTerminal, type Terminal } from '../runtime/terminal.ts'
import type { OutFile } from './transaction/writeTransaction.ts'

export interface Program extends ProgramContext {
  command: Command
  add(name: string, description: string, help: string): Command
}

export interface ProgramContext {
  terminal: Terminal
  environment: Environment
}

export interface JsonOption {
  json?: boolean
}

export interface WriteOptions extends JsonOption {
  dryRun?: boolean
}

export interface PaidOptions extends WriteOptions {
  out?: string
  /** In milliseconds. */
  lifetime?: number
}

/** Adds `--out` and `--lifetime` to a command that pays. */
export const addOutOptions = (command: Command): Command =>
  command
    .option(
      '--out <file>',
      'write the next transaction to a new file for several keys to sign, and send nothing',
    )
    .option(
      '--lifetime <minutes>',
      'with --out: how long it can be executed (default: the longest that the chain allows)',
      parseMinutes,
    )

/** Parses a lifetime in minutes. Returns milliseconds. */
function parseMinutes(text: string): number {
  const minutes = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (minutes === 0) throw new InvalidArgumentError('It must be a number of minutes.')
  return minutes * 60_000
}

/** Returns the file to write to; null to send. */
export const outFileOf = ({ out, lifetime }: PaidOptions): OutFile | null =>
  out === undefined ? null : { path: out, lifetimeMs: lifetime ?? null }

/** Creates a program of several commands, which are added to it. */
export function createProgram(
  program: string,
  options: { description: string; help: string; environment: Environment },
): Program {
  const command = createCommand(program).description(options.description).addHelpText('after', options.help)
  return {
    command,
    terminal: createTerminal(program),
    environment: options.environment,
    add: (name, description, help) =>
      command
        .command(name)
        .description(description)
        .option('--json', 'print one JSON object on standard output')
        .addHelpText('after', help),
  }
}
