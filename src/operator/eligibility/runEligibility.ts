import { exitCodeOf } from '../exitCode.ts'
import type { JsonOption, ProgramContext } from '../program.ts'

/** Runs a command and prints its result. Once the command has called `onSent`, a failure has another exit code. */
export function runEligibility(
  { terminal }: ProgramContext,
  name: string,
  { json }: JsonOption,
  work: (onSent: () => void) => object | Promise<object>,
): Promise<void> {
  let hasSent = false
  const onSent = (): void => {
    hasSent = true
  }
  return terminal.run({ name, json, exitCodeOf: (error) => exitCodeOf(error, hasSent) }, async () => {
    const found = await work(onSent)
    return { report: { command: name, ...found }, text: formatLines(found) }
  })
}

const NEXT_LINE = `\n${' '.repeat(17)}`

const formatLines = (found: object): string =>
  Object.entries(found)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${name.padEnd(16)} ${Array.isArray(value) ? value.join(NEXT_LINE) : value}`)
    .join('\n')
