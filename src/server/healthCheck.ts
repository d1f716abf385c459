import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { healthBody } from '../api/schemas.ts'
import { formatSettings } from '../runtime/formatSettings.ts'
import { listenSettings } from '../runtime/listenSettings.ts'

/** The settings of `wattfeed health`, which are the server's. */
export const healthSettings = Type.Object(listenSettings)

/** The settings for the help text. */
export const healthHelp = `
Settings of the server, from the environment:
${formatSettings(healthSettings)}`

export interface HealthCheckOptions {
  /** The address that the server listens on. */
  host: string
  port: number
  /** @default 3000 */
  timeoutMs?: number
}

// Wildcard addresses cannot be connected to.
const everyAddress: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '[::1]',
  '[::]': '[::1]',
}

/** Returns the local `/health` URL of a server that listens on this address. */
export function healthUrl(host: string, port: number): string {
  const literal = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `http://${everyAddress[host] ?? literal}:${port}/health`
}

/** Checks a server's `/health`; returns null if it is healthy, else what is wrong. */
export async function healthFault({
  host,
  port,
  timeoutMs = 3_000,
}: HealthCheckOptions): Promise<string | null> {
  if (port === 0) return 'PORT is 0, which names no server: set it to the port that the server listens on'
  const url = healthUrl(host, port)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.status !== 200) return `${url} answered ${response.status}`
    return Value.Check(healthBody, await response.json()) ? null : `${url} is not answered by wattfeed`
  } catch (error) {
    return `${url} does not answer: ${error instanceof Error ? error.message : error}`
  }
}
