import { NewFeedError } from './newFeedError.ts'
import type { Prompt } from './prompt.ts'

/** A field of a new feed. */
export interface Field<T> {
  /** Name of its flag, and what a person is asked for. */
  name: string
  /** What was given by flag. */
  given: string | undefined
  /** Null where nothing can be suggested. */
  suggestion: string | null
  /** Turns the text into a value; what it throws says what the text must be. */
  parse: (text: string) => T
}

/**
 * The value of a field: what was given, else what a person says, else what is suggested.
 *
 * Throws a `NewFeedError` that names the flag.
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
