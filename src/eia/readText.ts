/**
 * The body of an answer as text, or null where it has more than `maxBytes`: no more than that is read.
 * Throws what the connection throws.
 */
export async function readText(response: Response, maxBytes: number): Promise<string | null> {
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel()
    return null
  }
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  let text = ''
  let received = 0
  for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read()) {
    received += chunk.value.length
    if (received > maxBytes) {
      await reader?.cancel()
      return null
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}
