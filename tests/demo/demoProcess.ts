import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '../../src/library/client/index.ts'
import { runToEnd } from '../support/program.ts'

export const demo = fileURLToPath(new URL('../../src/demo.ts', import.meta.url))

export interface Demo extends AsyncDisposable {
  /** Its output up to and including "Ctrl-C". */
  announcement: Promise<string>
  /** Waits for a text on standard output after an offset, and returns the whole output. */
  until(word: string, from?: number): Promise<string>
  signal(name: 'SIGINT' | 'SIGTERM'): void
  exitCode: Promise<number>
}

/** Settings of a user who reads another network through a proxy. The demo's programs must not use them. */
const ofAnotherNetwork = {
  VERIFY: 'full',
  TRUSTED_BLOCK_HASH: 'aa'.repeat(32),
  RPC_TIMEOUT_MS: '1',
  HTTP_PROXY: 'http://127.0.0.1:9',
  http_proxy: 'http://127.0.0.1:9',
}

/** The demo as a process, on free ports. */
export function startDemo(...options: string[]): Demo {
  const child = Bun.spawn([process.execPath, demo, ...options], {
    env: { ...process.env, ...ofAnotherNetwork, PORT: '0', DEVNET_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const until = textReader(child.stdout)
  return {
    announcement: until('Ctrl-C'),
    until,
    signal: (name) => child.kill(name),
    exitCode: child.exited,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

/** Reads a stream once for any number of waiters. */
function textReader(output: ReadableStream<Uint8Array>): (word: string, from?: number) => Promise<string> {
  let text = ''
  let hasEnded = false
  let onText = Promise.withResolvers<void>()
  void (async () => {
    for await (const chunk of output) {
      text += new TextDecoder().decode(chunk)
      onText.resolve()
      onText = Promise.withResolvers()
    }
    hasEnded = true
    onText.resolve()
  })()
  return async (word, from = 0) => {
    while (!text.includes(word, from) && !hasEnded) await onText.promise
    return text
  }
}

export const urlsIn = (text: string): string[] => text.match(/http:\/\/[^\s')]+/g) ?? []
export const curlUrls = (text: string): string[] => urlsIn(text.match(/^ {2}curl .*$/gm)?.join('\n') ?? '')

export async function portIsFree(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  )
}

/** The client of the printed `createClient({...})`. */
export function printedClient(announcement: string): Client {
  const [call = ''] = /createClient\(\{[^}]*\}\)/.exec(announcement) ?? []
  return new Function('createClient', `return ${call}`)(createClient)
}

/** The output of `feeds list --json` with the printed settings. */
export async function printedFeedList(
  announcement: string,
): Promise<{ feeds: { is_registered: boolean; differences: object[] }[] }> {
  const exports = announcement.match(/^ {2}export .*$/gm) ?? []
  const script = [...exports, `exec "$0" "$1" list --json`].join('\n')
  const entry = fileURLToPath(new URL('../../src/feeds.ts', import.meta.url))
  const { stdout } = await runToEnd(['sh', '-c', script, process.execPath, entry])
  return JSON.parse(stdout)
}
