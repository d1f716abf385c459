import { connect } from 'node:net'
import type { Load, LoadOptions } from './load.ts'
import { percentile } from './percentile.ts'

/** Generates load from this process, with plain sockets. */
export async function runKeepAliveLoad({
  url,
  connections,
  seconds,
  headers = {},
}: LoadOptions): Promise<Load> {
  const start = performance.now()
  const end = start + seconds * 1_000
  const workers = Array.from({ length: connections }, () => runConnection(new URL(url), headers, end))
  const results = await Promise.all(workers)
  const latencies = results.flatMap(({ latenciesMs }) => latenciesMs)
  return {
    perSecond: latencies.length / ((performance.now() - start) / 1_000),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
  }
}

interface Connection {
  latenciesMs: number[]
  failures: number
}

function runConnection(
  { hostname, port, host, pathname, search }: URL,
  headers: Record<string, string>,
  end: number,
): Promise<Connection> {
  const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`
  const latenciesMs: number[] = []
  let failures = 0
  let received = ''
  let sentAt = 0
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const send = (): void => {
      sentAt = performance.now()
      socket.write(request)
    }
    socket.setEncoding('latin1').on('connect', send).on('error', reject)
    socket.on('close', () => resolve({ latenciesMs, failures }))
    socket.on('data', (chunk) => {
      received += chunk
      if (!isComplete(received)) return
      if (!received.startsWith('HTTP/1.1 2')) failures++
      received = ''
      latenciesMs.push(performance.now() - sentAt)
      if (performance.now() < end) send()
      else socket.end()
    })
  })
}

function isComplete(response: string): boolean {
  const headEnd = response.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = Number(/content-length: *(\d+)/i.exec(response)?.[1] ?? 0)
  return response.length >= headEnd + 4 + length
}
