import { createInterface } from 'node:readline/promises'
import { WattfeedError } from '../../errors.ts'

/** The input ended before a question was answered. */
export class PromptClosedError extends WattfeedError {
  static override readonly name = 'PromptClosedError'
  readonly code = 'prompt_closed'
  readonly retryable = false

  constructor() {
    super(
      'the input ended before everything was answered; nothing was written: run this again, or answer by flags',
    )
  }
}

/** A question to a person. */
export interface Question<T> {
  text: string
  /** Used if the answer is empty. */
  suggestion?: string | null
  /** Parses the answer. If it throws, the message is shown and the question asked again. */
  parse: (answer: string) => T
}

/** Asks a person at a terminal. */
export interface Prompt extends Disposable {
  /** Asks until an answer can be parsed. @throws {PromptClosedError} */
  ask<T>(question: Question<T>): Promise<T>
  say(text: string): void
}

/** Creates a prompt over a pair of streams. Answers may arrive before their questions. */
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
    // The input may have ended with answers still buffered.
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
