/*
 * Web types in the library's declarations. Projects with `lib.dom`, `@types/node` or `bun-types` get the types of their
 * runtime, other projects get only the members that wattfeed uses.
 */

/** An `AbortSignal`. */
export type AbortSignalLike = typeof globalThis extends { AbortSignal: { prototype: infer Signal } }
  ? Signal
  : {
      readonly aborted: boolean
      readonly reason: unknown
      addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
      removeEventListener(type: 'abort', listener: () => void): void
    }

/** The parts of `fetch` that wattfeed uses. */
export type Fetch = (url: string, init: RequestInitLike) => Promise<ResponseLike>

/** The second argument of `fetch`. */
type RequestInitLike = typeof globalThis extends {
  Request: new (url: string, init?: infer Init) => unknown
}
  ? NonNullable<Init>
  : { method: string; headers: Record<string, string>; body: string; signal: AbortSignalLike }

/** The result of `fetch`. */
type ResponseLike = typeof globalThis extends { Response: { prototype: infer Response } }
  ? Response
  : {
      readonly ok: boolean
      readonly status: number
      readonly headers: { get(name: string): string | null }
      readonly body: BodyLike | null
      text(): Promise<string>
    }

interface BodyLike {
  cancel(reason?: unknown): Promise<void>
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(reason?: unknown): Promise<void>
  }
}
