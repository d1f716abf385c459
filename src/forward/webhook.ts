import {
  codeOfError,
  type Fetch,
  limitTime,
  parseRetryAfter,
  splitCredentials,
  tlsFault,
  uncompressed,
} from '@wattfeed/base'
import { Webhook } from 'standardwebhooks'
import manifest from '../../package.json' with { type: 'json' }
import { DeliveryError, type ForwardTarget, type Patience, TargetError } from './target.ts'

export interface WebhookOptions extends Partial<Omit<Patience, 'attempts'>> {
  url: URL
  /** `whsec_` and Base64. */
  secret: string
  attempts: number
  /** Time limit for the receiver's answer, in milliseconds. */
  timeoutMs: number
  fetch: Fetch
}

const MAX_RETRY_AFTER_MS = 3_600_000
const MIN_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 300_000

/**
 * Creates a target that posts each message, signed. Only the status of the answer is read.
 *
 * @see https://www.standardwebhooks.com
 */
export function createWebhook(options: WebhookOptions): ForwardTarget {
  const { attempts, minPauseMs = MIN_PAUSE_MS, maxPauseMs = MAX_PAUSE_MS, timeoutMs } = options
  const { host } = options.url
  const webhook = new Webhook(options.secret)
  const post = createPost(options)
  return {
    host,
    patience: { attempts, minPauseMs, maxPauseMs },
    open: async (kept) => kept,
    async deliver({ id, body }) {
      const now = new Date()
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': webhook.sign(id, now, body),
      }
      const error = () => new DeliveryError(`no answer within ${timeoutMs} ms`, true)
      const answer = await limitTime({ timeoutMs, error }, ({ signal }) => post(body, headers, signal))
      if (answer.status === 410)
        throw new TargetError({
          host,
          rule: 'accepts no more messages (HTTP 410); set --to to another target',
        })
      if (answer.status < 200 || answer.status >= 300) throw statusError(answer)
      return null
    },
    async [Symbol.asyncDispose]() {},
  }
}

interface Answer {
  readonly status: number
  readonly retryAfter: string | null
}

const POST = { method: 'POST', redirect: 'manual' } as const

/** Moves the user and password of the URL to a header. */
function createPost({ url, fetch }: Pick<WebhookOptions, 'url' | 'fetch'>) {
  const { url: bare, headers: authorization } = splitCredentials(url)
  const agent = { 'user-agent': `wattfeed/${manifest.version}` }
  const common = { ...uncompressed.headers, ...authorization, ...agent }
  return async (body: string, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> => {
    const init = { ...uncompressed, ...POST, headers: { ...common, ...headers }, body, signal }
    const response = await fetch(bare.href, init).catch((error: unknown) => {
      const code = codeOfError(error)
      const failed = `the connection failed${code === null ? '' : ` (${code})`}`
      throw new DeliveryError(tlsFault(code) ?? failed, true)
    })
    const { status } = response
    const retryAfter = response.headers.get('retry-after')
    // The body is not used, so an error in it does not matter.
    await response.body?.cancel().catch(() => {})
    return { status, retryAfter }
  }
}

function statusError({ status, retryAfter }: Answer): DeliveryError {
  if (status >= 300 && status < 400)
    return new DeliveryError(
      `HTTP ${status}: redirects are not followed; set --to to the final URL`,
      false,
      status,
    )
  const isRetryable = status >= 500 || [408, 425, 429].includes(status)
  return new DeliveryError(
    `HTTP ${status}`,
    isRetryable,
    status,
    parseRetryAfter(retryAfter, MAX_RETRY_AFTER_MS),
  )
}
