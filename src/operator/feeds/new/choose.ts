import { NewFeedError } from '../../../feeds/file/newFeedError.ts'
import { askChoice, askText, type Choice, findChoices, type PromptStreams } from '../../prompt.ts'

export interface Choosing {
  /** Its name: `frequency`. */
  what: string
  /** Its flag: `--frequency`. */
  flag: string
  choices: readonly Choice[]
}

/** The maximum number of choices that an error lists. */
const MAX_SHOWN = 20

/**
 * Returns the given choice, the only one, or the one chosen at the terminal.
 *
 * @throws {NewFeedError} naming the flag, if there is no terminal or no such choice.
 */
export async function choose(
  choosing: Choosing,
  given: string | undefined,
  terminal: PromptStreams | null,
): Promise<string> {
  const { what, flag, choices } = choosing
  const [first, second] = choices
  if (given !== undefined) return assertChoice(choosing, given).id
  if (first !== undefined && second === undefined) return first.id
  if (terminal !== null) return askChoice(what, choices, terminal)
  throw new NewFeedError({
    reason: 'missing',
    message: `${flag} is missing; the ${what} must be ${formatChoices(choices)}`,
  })
}

export function assertChoice({ what, flag, choices }: Choosing, id: string): Choice {
  const found = choices.find((choice) => choice.id === id)
  if (found !== undefined) return found
  const near = findChoices(choices, id)
  throw new NewFeedError({
    reason: 'unknown',
    message: `${flag}: unknown ${what} ${id}; it must be ${formatChoices(near.length > 0 ? near : choices)}`,
  })
}

function formatChoices(choices: readonly Choice[]): string {
  const ids = choices.slice(0, MAX_SHOWN).map(({ id }) => id)
  const more = choices.length - ids.length
  return `one of ${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

export interface Field<T> {
  /** Name of its flag, and of the prompt. */
  name: string
  /** The flag's text, if given. */
  given: string | undefined
  /** Null if nothing can be suggested. */
  suggestion: string | null
  /** Parses the text. @throws an error whose message says what the text must be. */
  parse: (text: string) => T
}

/**
 * Returns the value of a field: from its flag, else the answer, else the suggestion.
 *
 * @throws {NewFeedError} naming the flag.
 */
export async function fill<T>(
  { name, given, suggestion, parse }: Field<T>,
  terminal: PromptStreams | null,
): Promise<T> {
  if (given === undefined && terminal !== null) return askText({ message: name, suggestion, parse }, terminal)
  const text = given ?? suggestion
  if (text === null)
    throw new NewFeedError({
      reason: 'missing',
      message: `--${name} is missing, and there is no suggestion for it`,
    })
  try {
    return parse(text)
  } catch (error) {
    throw new NewFeedError({
      reason: 'invalid',
      message: `--${name}: ${error instanceof Error ? error.message : String(error)}`,
    })
  }
}
