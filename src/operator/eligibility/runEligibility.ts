import { runPaying } from '../exitCode.ts'
import type { JsonOption, ProgramContext } from '../program.ts'

/** Called with the steps that a transaction has reached. */
export type OnStep = (sendStep: { readonly step: string }) => void

/** Runs a command and prints its result. One that pays passes on the steps of its transactions. */
export const runEligibility = (
  program: ProgramContext,
  name: string,
  { json }: JsonOption,
  work: (onStep: OnStep) => object | Promise<object>,
): Promise<void> =>
  runPaying(program, { name, json }, async (onStep) => {
    const found = await work(onStep)
    return { report: { command: name, ...found }, text: formatLines(found) }
  })

const NAME_WIDTH = 16
const NEXT_LINE = `\n${' '.repeat(NAME_WIDTH + 1)}`

/** Formats a line for each field; a list has a line for each item, and none if it is empty. */
const formatLines = (found: object): string =>
  Object.entries(found)
    .filter(([, value]) => !Array.isArray(value) || value.length > 0)
    .map(
      ([name, value]) => `${name.padEnd(NAME_WIDTH)} ${Array.isArray(value) ? value.join(NEXT_LINE) : value}`,
    )
    .join('\n')
