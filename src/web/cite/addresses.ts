/** Percent-encodes an id, including the quotes and brackets of shells and languages. */
export const encodeId = (id: string): string =>
  encodeURIComponent(id).replace(/[!'()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** @param index of a past value; null for the newest one */
export function proofUrl(origin: string, feedId: string, index: number | null): string {
  const path = index === null ? 'proof' : `history/${index}/proof`
  return `${origin}/v1/feeds/${encodeId(feedId)}/${path}`
}

export const feedUrl = (origin: string, feedId: string): string =>
  `${origin}/explorer/feeds/${encodeId(feedId)}`

export const embedUrl = (origin: string, feedId: string): string =>
  `${origin}/embed/feeds/${encodeId(feedId)}`
