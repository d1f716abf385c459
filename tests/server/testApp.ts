import type { AnyElysia } from 'elysia'
import type { Client } from '../../src/client/index.ts'
import { WattfeedError } from '../../src/errors.ts'
import type { Log } from '../../src/runtime/log.ts'
import { type AppOptions, createApp } from '../../src/server/app.ts'
import { createMetrics } from '../../src/server/metrics.ts'
import { createFakeClient, fetchedAt } from './fakeClient.ts'

/** A line that was logged. */
export interface LoggedLine {
  level: keyof Log
  fields: Record<string, unknown>
  message: string
}

/** A log that remembers. */
export function createTestLog(): { log: Log; lines: LoggedLine[] } {
  const lines: LoggedLine[] = []
  const at = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message })
  }
  return { log: { info: at('info'), warn: at('warn'), error: at('error') }, lines }
}

export type TestAppOptions = Partial<Omit<AppOptions, 'client'>> & { client?: Client }

/** The server around a client that answers from memory. */
export function createTestApp(options: TestAppOptions = {}): AnyElysia {
  return createApp({
    client: createFakeClient(),
    metrics: createMetrics(),
    log: createTestLog().log,
    now: () => fetchedAt + 41,
    ...options,
  })
}

/** The server around a client that reads a chain, with the real time. */
export const appOf = (client: Client, { log } = createTestLog()): AnyElysia =>
  createTestApp({ client, log, now: Date.now })

/** Asks an app without a socket. */
export async function ask(app: AnyElysia, path: string, init?: RequestInit): Promise<Response> {
  const response = await app.handle(new Request(`http://localhost${path}`, init))
  // Elysia logs and counts after the answer.
  await new Promise(setImmediate)
  return response
}

/** An answer as it is compared: without headers, the body parsed. */
export async function answerOf(app: AnyElysia, path: string, init?: RequestInit) {
  const response = await ask(app, path, init)
  return { status: response.status, body: await response.json() }
}

/** An error of the client, as any of its classes. */
export class TestChainError extends WattfeedError {
  constructor(
    readonly code: string,
    readonly retryable = false,
    readonly fields: Record<string, unknown> = {},
  ) {
    super(`the chain was not read: ${code}`)
  }
}
