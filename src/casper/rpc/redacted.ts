import type { Node } from './node.ts'

/** Layer: redacts the secrets of a node's URL in errors, because a node can echo its URL in any text. */
export async function redacted<T>(node: Node, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw redactError(cause instanceof Error ? cause : new Error(String(cause)), node.redact)
  }
}

function redactError(error: Error, redact: (text: string) => string): Error {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(error)))
    if (typeof value === 'string') Reflect.set(error, name, redact(value))
  return error
}
