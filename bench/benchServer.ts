import { startServerProcess } from '../src/demo/programs.ts'

/** The server as users run it, with its log discarded. */
export interface BenchServer extends AsyncDisposable {
  url: string
  pid: number
  /** From starting the process to the log line that it listens. */
  startMs: number
}

/** @param chain.settings the server's settings, including those of its chain */
export async function startBenchServer(chain: { settings: Record<string, string> }): Promise<BenchServer> {
  const start = performance.now()
  const server = await startServerProcess({ ...chain.settings, HOST: '127.0.0.1', PORT: '0' }, 'ignore')
  const startMs = performance.now() - start
  const url = server.url.replace('localhost', '127.0.0.1')
  return { url, pid: server.pid, startMs, [Symbol.asyncDispose]: () => server.stop() }
}

/**
 * Returns the milliseconds from sending a request to the last byte of its answer.
 *
 * @throws {Error} when the status is not 200
 */
export async function timeRequest(url: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  return performance.now() - start
}
