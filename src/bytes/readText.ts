const identity = { 'accept-encoding': 'identity' }

/**
 * What a request carries so that its answer comes unpacked or not at all: a runtime that unpacks a bomb does it as a
 * whole, before its size can be bounded. `decompress` is Bun's own and makes it hand out the body as it came; others
 * do not know it.
 */
export const uncompressed = { headers: identity, decompress: false }

/**
 * The body of an answer as text. What comes is counted, whatever was announced, and no more than `maxBytes` is read.
 *
 * Throws what `refuse` makes of the reason, or what the connection throws. A compressed body is refused untouched,
 * except in browsers, which ask for compression themselves: there the unpacked bytes are counted.
 *
 * @example
 * ```ts
 * const text = await readText(response, 65_536, (reason) => new Error(`the answer is ${reason}`))
 * ```
 */
export async function readText(
  response: Response,
  maxBytes: number,
  refuse: (reason: string) => Error,
): Promise<string> {
  const { body, headers } = response
  const reader = body?.getReader()
  const giveUp = async (reason: string): Promise<never> => {
    await reader?.cancel()
    throw refuse(reason)
  }
  const encoding = headers.get('content-encoding') || 'identity'
  if (encoding.toLowerCase() !== 'identity' && asksForIdentity())
    await giveUp('compressed, which was not asked for')
  const announced = Number(headers.get('content-length'))
  const decoder = new TextDecoder()
  let text = ''
  let received = 0
  while (reader) {
    if (Math.max(announced, received) > maxBytes) await giveUp(`larger than ${maxBytes} bytes`)
    const { done, value } = await reader.read()
    if (done) break
    received += value.length
    text += decoder.decode(value, { stream: true })
  }
  return text + decoder.decode()
}

/** Browsers drop the header. */
const asksForIdentity = (): boolean =>
  new Request('http://localhost', { headers: identity }).headers.has('accept-encoding')
