import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from 'wattfeed'
import { bunWithProtocol } from '../support/bunWithProtocol.ts'
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
  const child = Bun.spawn([...bunWithProtocol, demo, ...options], {
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

/** The lines with `export` that the demo prints, or that are in the file of its line with `source`. */
export function exportLines(announcement: string): string[] {
  const [, file] = /^ {2}source (.*)$/m.exec(announcement) ?? []
  const text = file === undefined ? announcement : readFileSync(file, 'utf8')
  return text.match(/^ *export .*$/gm) ?? []
}

/** The settings of these lines. */
export const printedSettings = (announcement: string): Record<string, string> =>
  Object.fromEntries(
    exportLines(announcement).map((line) => line.replace(/^ *export /, '').split(/=(.*)/s, 2)),
  )

/** The options of `verify` that name the demo's first block and its registries. */
export function trustOptions(announcement: string): string[] {
  const settings = printedSettings(announcement)
  return [
    ...['--trust', settings.GENESIS_HASH ?? '', '--chain-name', settings.CASPER_CHAIN_NAME ?? ''],
    ...['--feed-registry', settings.FEED_REGISTRY_PACKAGE_HASH ?? ''],
    ...['--attestation-registry', settings.ATTESTATION_REGISTRY_PACKAGE_HASH ?? ''],
  ]
}

/** A client with the options that these settings name. */
export function printedClient(announcement: string): Client {
  const settings = printedSettings(announcement)
  return createClient({
    rpcUrls: [settings.CASPER_RPC_URL ?? ''],
    chainName: settings.CASPER_CHAIN_NAME ?? '',
    feedRegistryPackageHash: settings.FEED_REGISTRY_PACKAGE_HASH ?? '',
    attestationRegistryPackageHash: settings.ATTESTATION_REGISTRY_PACKAGE_HASH ?? '',
  })
}

/** How many rows of a screen a text takes. */
export const countRows = (text: string, columns: number): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0)

/** The output of `feeds list --json` with the settings. */
export async function printedFeedList(
  announcement: string,
): Promise<{ feeds: { is_registered: boolean; differences: object[] }[] }> {
  const script = [...exportLines(announcement), `exec "$0" "$1" list --json`].join('\n')
  const entry = fileURLToPath(new URL('../../src/feeds.ts', import.meta.url))
  const { stdout, stderr } = await runToEnd(['sh', '-c', script, process.execPath, entry])
  if (stderr !== '') throw new Error(stderr)
  return JSON.parse(stdout)
}
