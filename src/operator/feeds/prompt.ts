import { createInterface } from 'node:readline/promises'
import { WattfeedError } from '../../errors.ts'

/** Whoever was asked has gone. */
export class PromptClosedError extends WattfeedError {
  static override readonly name = 'PromptClosedError'
  readonly code = 'prompt_closed'
  readonly retryable = false

  constructor() {
    super('the input ended before everything was answered; nothing was written')
  }
}

/** A question to a person. */
export interface Question<T> {
  text: string
  /** Taken where the answer is empty. */
  suggestion?: string | null
  /** Turns the answer into a value; what it throws is said, and the question asked again. */
  parse: (answer: string) => T
}

/** Somebody at a terminal. */
export interface Prompt extends Disposable {
  /** Throws a {@link PromptClosedError} where no answer comes. */
  ask<T>(question: Question<T>): Promise<T>
  say(text: string): void
}

/** Asks over a pair of streams. Answers that come before their question wait for it. */
export function createPrompt(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): Prompt {
  const terminal = createInterface({ input, output })
  const answers = terminal[Symbol.asyncIterator]()
  let isOpen = true
  terminal.once('close', () => {
    isOpen = false
  })
  const say = (text: string): void => {
    output.write(`${text}\n`)
  }
  function show(text: string): void {
    // The input may have ended and its last answers still be there.
    if (!isOpen) output.write(text)
    else {
      terminal.setPrompt(text)
      terminal.prompt()
    }
  }
  async function ask<T>(question: Question<T>): Promise<T> {
    const { text, suggestion = null, parse } = question
    show(suggestion === null ? `${text}: ` : `${text} [${suggestion}]: `)
    const answer = await answers.next()
    if (answer.done) throw new PromptClosedError()
    try {
      return parse(answer.value.trim() || (suggestion ?? ''))
    } catch (error) {
      say(error instanceof Error ? error.message : String(error))
      return ask(question)
    }
  }
  return { ask, say, [Symbol.dispose]: () => terminal.close() }
}
