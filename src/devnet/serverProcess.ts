import { fileURLToPath } from 'node:url'
import { childEnvironment } from './childEnvironment.ts'

/** The server as a process of its own. */
export interface ServerProcess {
  /** Where it listens: `http://localhost:4030`. */
  url: string
  pid: number
  /** Resolves with the exit code. */
  exited: Promise<number>
  /** Asks it to stop and waits until it has. */
  stop(): Promise<void>
}

const entry = fileURLToPath(new URL('../index.ts', import.meta.url))

/**
 * Starts the server and waits until it listens. Its log goes where `stderr` says. Throws where it exits
 * before: what was wrong stands in its log.
 *
 * @param settings All of the server's settings: none of this process's count.
 *
 * @example
 * ```ts
 * const server = await startServerProcess({ PORT: '0', CASPER_RPC_URL: node.url })
 * await fetch(`${server.url}/health`)
 * await server.stop()
 * ```
 */
export async function startServerProcess(
  settings: Record<string, string>,
  stderr: 'inherit' | 'ignore' = 'inherit',
): Promise<ServerProcess> {
  const child = Bun.spawn([process.execPath, entry], {
    env: childEnvironment(settings),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr,
  })
  const url = await firstUrl(child.stdout)
  if (url === null) throw new ServerStartError(await child.exited)
  return {
    url,
    pid: child.pid,
    exited: child.exited,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** The server ended before it listened. */
export class ServerStartError extends Error {
  constructor(readonly exitCode: number) {
    super(`the server did not start (exit code ${exitCode})`)
  }
}

async function firstUrl(output: ReadableStream<Uint8Array>): Promise<string | null> {
  let text = ''
  const decoder = new TextDecoder()
  const reader = output.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return null
    text += decoder.decode(value, { stream: true })
    const url = /(http:\/\/localhost:\d+)\b.*\n/.exec(text)?.[1]
    if (url !== undefined) {
      reader.releaseLock()
      return url
    }
  }
}
