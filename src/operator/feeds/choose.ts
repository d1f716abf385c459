import { WattfeedError } from '../../errors.ts'
import type { Prompt } from './prompt.ts'

/** Why the feed was not added. */
export type NewFeedReason = 'missing' | 'unknown' | 'wrong_feed' | 'feeds_file'

/** A new feed cannot be added as requested. */
export class NewFeedError extends WattfeedError {
  static override readonly name = 'NewFeedError'
  readonly code = 'new_feed'
  readonly retryable = false

  constructor(
    readonly reason: NewFeedReason,
    message: string,
  ) {
    super(message)
  }
}

/** An option to choose. */
export interface Choice {
  id: string
  name: string
}

/** A choice to make. */
export interface Choosing {
  /** Its name: `frequency`. */
  what: string
  /** Its flag: `--frequency`. */
  flag: string
  choices: readonly Choice[]
}

/** As many as fit on a screen. */
const MAX_SHOWN = 20

/**
 * Returns the choice that was given, the only one, or the one that a person at the terminal chooses.
 *
 * @throws {NewFeedError} naming the flag, if there is no terminal or no such choice.
 */
export async function choose(
  choosing: Choosing,
  given: string | undefined,
  prompt: Prompt | null,
): Promise<string> {
  const { what, flag, choices } = choosing
  const [first, second] = choices
  if (given !== undefined) return assertChoice(choosing, given).id
  if (first !== undefined && second === undefined) return first.id
  if (prompt !== null) return askForChoice(choosing, prompt)
  throw new NewFeedError('missing', `${flag} is missing: the ${what} is ${formatChoices(choices)}`)
}

/** Returns the choice with this id. @throws {NewFeedError} naming others. */
export function assertChoice({ what, flag, choices }: Choosing, id: string): Choice {
  const found = choices.find((choice) => choice.id === id)
  if (found !== undefined) return found
  const near = choices.filter((choice) => matches(choice, id))
  throw new NewFeedError(
    'unknown',
    `${flag}: there is no ${what} ${id}; it is ${formatChoices(near.length > 0 ? near : choices)}`,
  )
}

/** Asks a person, who may narrow a long list with part of an id or name. */
export function askForChoice({ what, choices }: Omit<Choosing, 'flag'>, prompt: Prompt): Promise<string> {
  showChoices(choices, prompt)
  return prompt.ask({ text: what, parse: (answer) => findChoice(choices, answer, prompt) })
}

/** Returns the id that an answer means. If it is not one, shows the matches and throws. */
export function findChoice(choices: readonly Choice[], answer: string, prompt: Prompt): string {
  if (choices.some(({ id }) => id === answer)) return answer
  const found = answer === '' ? [] : choices.filter((choice) => matches(choice, answer))
  const [only, another] = found
  if (only === undefined) throw new Error('none matches: give an id or a part of a name')
  showChoices(found, prompt)
  if (another !== undefined) throw new Error('several match: give an id or more of a name')
  return only.id
}

/** Shows the choices, as many as fit on a screen. */
export function showChoices(choices: readonly Choice[], prompt: Prompt): void {
  for (const { id, name } of choices.slice(0, MAX_SHOWN))
    prompt.say(name === id ? `  ${id}` : `  ${id}  ${name}`)
  if (choices.length > MAX_SHOWN) prompt.say(`  and ${choices.length - MAX_SHOWN} more`)
}

const matches = ({ id, name }: Choice, text: string): boolean =>
  [id, name].some((each) => each.toLowerCase().includes(text.toLowerCase()))

function formatChoices(choices: readonly Choice[]): string {
  const ids = choices.slice(0, MAX_SHOWN).map(({ id }) => id)
  const more = choices.length - ids.length
  return `one of ${ids.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** A field of a new feed. */
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
 * Returns the value of a field: as given by flag, else answered, else suggested.
 *
 * @throws {NewFeedError} naming the flag.
 */
export async function fill<T>(
  { name, given, suggestion, parse }: Field<T>,
  prompt: Prompt | null,
): Promise<T> {
  if (given === undefined && prompt !== null) return prompt.ask({ text: name, suggestion, parse })
  const text = given ?? suggestion
  if (text === null) throw new NewFeedError('missing', `--${name} is missing, and nothing can be suggested`)
  try {
    return parse(text)
  } catch (error) {
    throw new NewFeedError('unknown', `--${name}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
