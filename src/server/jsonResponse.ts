import { crossOriginHeaders } from './crossOrigin.ts'

/** Headers of an answer in JSON, with those of the answer itself. */
export const jsonHeaders = (extra: Record<string, string> = {}): Headers =>
  new Headers({ 'content-type': 'application/json', ...crossOriginHeaders, ...extra })

const plainHeaders = jsonHeaders()

/** An answer with a JSON text for a body. */
export const jsonResponse = (json: string, status = 200, headers = plainHeaders): Response =>
  new Response(json, { status, headers })
