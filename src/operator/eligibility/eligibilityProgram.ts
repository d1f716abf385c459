import type { Command } from 'commander'
import { createCommand } from '../../runtime/createCommand.ts'
import type { Environment } from '../../runtime/settings.ts'
import { createTerminal, type Terminal } from '../../runtime/terminal.ts'
import { exitCodeOf } from '../exitCode.ts'
import { help } from './settings.ts'

/** The program `eligibility`. Each command adds itself to it. */
export interface EligibilityProgram {
  command: Command
  terminal: Terminal
  environment: Environment
  /** Adds a command, which can print JSON. */
  add(name: string, description: string, help: string): Command
  /** Runs a command, and prints what it returns. Once `onSent` was called, a failure has another exit code. */
  run(
    name: string,
    options: JsonOption,
    work: (onSent: () => void) => object | Promise<object>,
  ): Promise<void>
}

/** The option of every command. */
export interface JsonOption {
  json?: boolean
}

/** Creates the program without its commands. */
export function createEligibilityProgram(environment: Environment): EligibilityProgram {
  const terminal = createTerminal('eligibility')
  const command = createCommand('eligibility')
    .description(
      'Shows a wattfeed EligibilityGate that a member of a group vouches for an account, not which member.',
    )
    .addHelpText('after', help)
  return {
    command,
    terminal,
    environment,
    add: (name, description, text) =>
      command
        .command(name)
        .description(description)
        .option('--json', 'print one JSON object on standard output')
        .addHelpText('after', text),
    run(name, { json }, work) {
      let hasSent = false
      const onSent = (): void => {
        hasSent = true
      }
      return terminal.run({ name, json, exitCodeOf: (error) => exitCodeOf(error, hasSent) }, async () => {
        const found = await work(onSent)
        return { report: { command: name, ...found }, text: formatLines(found) }
      })
    },
  }
}

const NEXT_LINE = `\n${' '.repeat(17)}`

const formatLines = (found: object): string =>
  Object.entries(found)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${name.padEnd(16)} ${Array.isArray(value) ? value.join(NEXT_LINE) : value}`)
    .join('\n')
