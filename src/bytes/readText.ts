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
  const giveUp = async (reason: string): Promise<never> => {
    await body?.cancel()
    throw refuse(reason)
  }
  const tooLarge = `larger than ${maxBytes} bytes`
  if (isCompressed(headers) && asksForIdentity()) await giveUp('compressed, which was not asked for')
  if (Number(headers.get('content-length')) > maxBytes) await giveUp(tooLarge)
  const decoder = new TextDecoder()
  let text = ''
  let received = 0
  const reader = body?.getReader()
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    received += chunk.value.length
    if (received > maxBytes) {
      await reader?.cancel()
      throw refuse(tooLarge)
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}

const isCompressed = (headers: Headers): boolean =>
  !/^(identity)?$/i.test((headers.get('content-encoding') ?? '').trim())

/** Browsers drop the header. */
const asksForIdentity = (): boolean =>
  new Request('http://localhost', { headers: identity }).headers.has('accept-encoding')
