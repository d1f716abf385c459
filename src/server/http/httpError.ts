import { type DefinedError, defineError, type ErrorTraits, WattfeedError } from '@wattfeed/base'
import type { AnswerHeaders } from './headers.ts'

/** An error of the server, which says itself how it is answered. Those of packages know nothing of HTTP. */
export abstract class HttpError extends WattfeedError {
  abstract get status(): number
  /** What it adds to the headers of every error. */
  get headers(): AnswerHeaders {
    return {}
  }
  /** What it adds to the body after `error`. */
  get body(): object {
    return {}
  }
}

/** How the server answers with an error. */
interface HttpTraits<Facts> extends Pick<ErrorTraits<Facts>, 'retryable'> {
  readonly status: number
  readonly headers?: (facts: Facts) => AnswerHeaders
  readonly body?: (facts: Facts) => object
}

/** As `defineError`, for an error of the server. */
export function defineHttpError<const Code extends string, Facts extends object = object>(
  name: string,
  code: Code,
  message: (facts: Facts) => string,
  { status, headers, body, retryable = false }: HttpTraits<Facts>,
): DefinedError<Code, Facts> {
  abstract class Answered extends HttpError {
    override get status() {
      return status
    }
    override get headers(): AnswerHeaders {
      return headers?.(factsOf(this)) ?? {}
    }
    override get body(): object {
      return body?.(factsOf(this)) ?? {}
    }
  }
  // `defineError` makes the facts fields of the error.
  const factsOf = (error: HttpError) => error as unknown as Facts
  return defineError(name, code, message, { retryable, base: Answered })
}
