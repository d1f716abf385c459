import { cors } from '@elysiajs/cors'
import { Elysia } from 'elysia'

/**
 * What lets a page of any origin read an answer; stands on every answer.
 *
 * No `Vary`: the answer is the same for every origin. No credentials header: there is nothing to log in to.
 *
 * @see https://fetch.spec.whatwg.org/#http-responses
 */
export const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, X-Casper-State-Root, Retry-After',
} as const

/** What every path answers to, HEAD and preflights included. */
export const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

/**
 * Answers OPTIONS requests: 204 on every path.
 *
 * An instance apart, because the plugin works on every request it sees (a quarter of the throughput),
 * and because its ways to set the origin set `Vary: *` or repeat the caller's; `origin: false` sets neither.
 */
export const preflight = new Elysia({ name: 'preflight' })
  .headers({ ...crossOriginHeaders, allow: ALLOWED_METHODS })
  .use(
    cors({
      origin: false,
      methods: ALLOWED_METHODS,
      allowedHeaders: '*',
      exposeHeaders: crossOriginHeaders['access-control-expose-headers'],
      credentials: false,
      maxAge: 86_400,
    }),
  )
