import input from '@inquirer/input'
import search from '@inquirer/search'
import { defineError } from '@wattfeed/base'
import { searchWords } from '@wattfeed/eia/catalog'
import { printable } from '../runtime/printable.ts'

/** The prompt was closed, by Ctrl-C or the end of the input, before a question was answered. */
const PromptClosedError = defineError(
  'PromptClosedError',
  'prompt_closed',
  () =>
    'the input ended before all questions were answered; nothing was written. Run the command again, or use flags',
)

export interface PromptStreams {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

export interface Choice {
  id: string
  name: string
}

export interface TextQuestion<T> {
  message: string
  /** Used if the answer is empty; null for none. */
  suggestion: string | null
  /** Parses the answer. If it throws, the message is shown and the question stays open. */
  parse: (answer: string) => T
}

export async function askText<T>(
  { message, suggestion, parse }: TextQuestion<T>,
  streams: PromptStreams,
): Promise<T> {
  const read = (answer: string): T => parse(answer.trim() || (suggestion ?? ''))
  const validate = (answer: string): true | string => {
    try {
      read(answer)
      return true
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }
  const config = { message: `${message}:`, default: suggestion ?? '', validate }
  return read(await untilClosed(streams, (context) => input(config, context)))
}

/** Asks for one of the choices, which typing narrows to matching ids and names. */
export function askChoice(
  message: string,
  choices: readonly Choice[],
  streams: PromptStreams,
): Promise<string> {
  const source = (term = '') => findChoices(choices, term).map(toOption)
  return untilClosed(streams, (context) => search({ message: `${message}:`, source, pageSize: 20 }, context))
}

/** Returns the choices whose id and name contain all words of a text; the one with this very id comes first. */
export function findChoices(choices: readonly Choice[], text: string): readonly Choice[] {
  const words = searchWords(text)
  return choices
    .filter(({ id, name }) => words.every((word) => `${id}\n${name}`.toLowerCase().includes(word)))
    .toSorted((one, other) => Number(other.id === text) - Number(one.id === text))
}

const toOption = ({ id, name }: Choice) => ({
  value: id,
  name: printable(name === id || id === '' ? name : `${id}  ${name}`),
  short: printable(id),
})

/** Runs a prompt, which by itself does not settle when its input ends or Ctrl-D closes it. */
async function untilClosed<T>(
  streams: PromptStreams,
  prompt: (context: PromptStreams & { signal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const closed = new AbortController()
  const close = (): void => closed.abort()
  const closeOnCtrlD = (_: unknown, { ctrl, name }: { ctrl?: boolean; name?: string }): void => {
    if (ctrl && name === 'd') close()
  }
  streams.input.on('end', close).on('keypress', closeOnCtrlD)
  try {
    return await prompt({ ...streams, signal: closed.signal })
  } catch (error) {
    const isClosed =
      error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError')
    throw isClosed ? new PromptClosedError() : error
  } finally {
    streams.input.off('end', close).off('keypress', closeOnCtrlD)
  }
}
