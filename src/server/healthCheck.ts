import { Value } from '@sinclair/typebox/value'
import { healthBody } from './schemas.ts'

export interface HealthCheckOptions {
  /** What the server listens on. */
  host: string
  port: number
  /** @default 3000 */
  timeoutMs?: number
}

// What stands for all addresses is none to connect to.
const everyAddress: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '[::1]',
  '[::]': '[::1]',
}

/** Where a server that listens on this address answers from the same machine. */
export function healthUrl(host: string, port: number): string {
  const literal = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `http://${everyAddress[host] ?? literal}:${port}/health`
}

/** Asks a server's `/health`. Null where it is healthy, otherwise what is wrong. */
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
