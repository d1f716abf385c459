import { InvalidArgumentError } from 'commander'

/** Wraps a parser of settings for commander: the error says what the text must be. */
export function option<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(`It must be ${error instanceof Error ? error.message : error}.`)
    }
  }
}
