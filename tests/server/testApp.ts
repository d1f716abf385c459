import { WattfeedError } from '@wattfeed/base'
import type { AnyElysia } from 'elysia'
import type { Client } from 'wattfeed'
import type { Log } from '../../src/runtime/log.ts'
import { type AppOptions, createApp } from '../../src/server/app.ts'
import { createMetrics } from '../../src/server/metrics.ts'
import { createFakeClient, fetchedAt } from './fakeClient.ts'

/** A logged line. */
export interface LoggedLine {
  level: keyof Log
  fields: Record<string, unknown>
  message: string
}

/** A log that stores its lines. */
export function createTestLog(): { log: Log; lines: LoggedLine[] } {
  const lines: LoggedLine[] = []
  const at = (level: keyof Log) => (fields: object, message: string) => {
    lines.push({ level, fields: { ...fields }, message })
  }
  return { log: { info: at('info'), warn: at('warn'), error: at('error') }, lines }
}

export type TestAppOptions = Partial<Omit<AppOptions, 'client'>> & { client?: Client }

/** The server with a client that answers from memory. */
export function createTestApp(options: TestAppOptions = {}): AnyElysia {
  return createApp({
    client: createFakeClient(),
    metrics: createMetrics(),
    log: createTestLog().log,
    now: () => fetchedAt + 41,
    ...options,
  })
}

/** The server with a client that reads a chain, in real time. */
export const appOf = (client: Client, { log } = createTestLog()): AnyElysia =>
  createTestApp({ client, log, now: Date.now })

/** Sends a request to an app without a socket. */
export async function ask(app: AnyElysia, path: string, init?: RequestInit): Promise<Response> {
  const response = await app.handle(new Request(`http://localhost${path}`, init))
  // Elysia logs and counts after the answer.
  await new Promise(setImmediate)
  return response
}

/** An answer in comparable form: without headers, with a parsed body. */
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
