import { encodeStoredValue, stateKey, urefKey } from '@wattfeed/casper/types'
import type { Engine, ExecutionRequest } from '../../src/engine/execute.ts'
import type { Message } from '../../src/engine/message.ts'

/** The effects of one execution. */
export interface FakeExecution {
  error?: string | null
  consumed?: bigint
  /** Value to store next to the counter. */
  writes?: readonly (readonly [Uint8Array, Uint8Array])[]
  messages?: readonly Message[]
}

/** A URef that each execution increments. */
export const counter = new Uint8Array(33).fill(9, 0, 32)

export const encodeCount = (count: number): Uint8Array =>
  encodeStoredValue({ kind: 'CLValue', value: { clType: 'U8', bytes: Uint8Array.of(count) } })

/** An engine that runs no code: it counts, consumes gas, and fails as scripted. */
export function createFakeEngine(
  script: (request: ExecutionRequest) => FakeExecution = () => ({}),
): Engine & {
  requests: ExecutionRequest[]
} {
  const requests: ExecutionRequest[] = []
  const engine: Engine = (request) => {
    requests.push(request)
    const { error = null, consumed = 1_000_000_000n, writes = [], messages = [] } = script(request)
    const key = urefKey(counter)
    const stored = encodeCount((request.read(stateKey(key))?.at(-2) ?? 0) + 1)
    if (error !== null)
      return { error, consumed, effects: [], writes: new Map(), messages: [], transfers: [], returned: null }
    return {
      error,
      consumed,
      effects: [{ key, transform: { kind: 'Write', stored } }],
      writes: new Map([[key, stored] as const, ...writes].map(([at, value]) => [stateKey(at), value])),
      messages,
      transfers: [],
      returned: null,
    }
  }
  return Object.assign(engine, { requests })
}
