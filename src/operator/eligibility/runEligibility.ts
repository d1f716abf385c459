import { runPaying } from '../exitCode.ts'
import type { JsonOption, ProgramContext } from '../program.ts'

/** Runs a command and prints its result. One that pays passes on the steps of its transactions. */
export const runEligibility = (
  program: ProgramContext,
  name: string,
  { json }: JsonOption,
  work: (onStep: (sendStep: { readonly step: string }) => void) => object | Promise<object>,
): Promise<void> =>
  runPaying(program, { name, json }, async (onStep) => {
    const found = await work(onStep)
    return { report: { command: name, ...found }, text: formatLines(found) }
  })

const NEXT_LINE = `\n${' '.repeat(17)}`

const formatLines = (found: object): string =>
  Object.entries(found)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(([name, value]) => `${name.padEnd(16)} ${Array.isArray(value) ? value.join(NEXT_LINE) : value}`)
    .join('\n')
