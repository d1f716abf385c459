import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { healthBody } from '../api/schemas.ts'
import { formatSettings } from '../runtime/settings/formatSettings.ts'
import { listenSettings } from '../runtime/settings/listenSettings.ts'

/** The settings of `wattfeed health`, which the server has too. */
export const healthSettings = Type.Object(listenSettings)

export const healthHelp = `
Settings of the server, from the environment:
${formatSettings(healthSettings)}`

// A client cannot connect to a wildcard address.
const loopbackOf: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '[::1]',
  '[::]': '[::1]',
}

/** Returns the local `/health` URL of a server that listens on this address. */
export function healthUrl(host: string, port: number): string {
  const literal = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `http://${loopbackOf[host] ?? literal}:${port}/health`
}

/** Requests `/health` of a server. Returns null if the server is healthy, else a message. */
export async function healthFault({
  host,
  port,
  timeoutMs = 3_000,
}: {
  host: string
  port: number
  timeoutMs?: number
}): Promise<string | null> {
  if (port === 0) return 'PORT is 0; set it to the port that the server listens on'
  const url = healthUrl(host, port)
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.status !== 200) return `${url} returned HTTP ${response.status}`
    return Value.Check(healthBody, await response.json())
      ? null
      : `${url} did not return the answer of a wattfeed server`
  } catch (error) {
    return `no answer from ${url}: ${error instanceof Error ? error.message : error}`
  }
}
