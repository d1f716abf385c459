import { PassThrough } from 'node:stream'
import { createPrompt, type Prompt } from '../../../../src/operator/feeds/prompt.ts'

/** A user at a terminal who gives these answers in order, and then leaves. */
export interface Person {
  prompt: Prompt
  /** All output. */
  seen(): string
}

export function createPerson(answers: readonly string[]): Person {
  const input = new PassThrough()
  const output = new PassThrough()
  let seen = ''
  output.on('data', (chunk) => {
    seen += chunk
  })
  input.end(answers.map((answer) => `${answer}\n`).join(''))
  return { prompt: createPrompt(input, output), seen: () => seen }
}
