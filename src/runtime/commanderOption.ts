import { InvalidArgumentError } from 'commander'

/** A parser of settings as the command line wants it: what it throws says what the text must be. */
export function option<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      throw new InvalidArgumentError(`It must be ${error instanceof Error ? error.message : error}.`)
    }
  }
}
