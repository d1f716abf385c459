import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineError } from '@wattfeed/base'
import checksums from '../../../contracts/wasm/SHA256SUMS' with { type: 'file' }
import { type WasmName, wasmFiles } from '../../runtime/wasmFiles.ts'

const WasmError = defineError(
  'WasmError',
  'wasm',
  (facts: { path: string; rule: string }) => `${facts.path} ${facts.rule}`,
)

export interface WasmFile {
  bytes: Uint8Array
  /** Hex. */
  sha256: string
}

/** The folder of the contracts that come with wattfeed. */
export const wasmFolder = `${dirname(wasmFiles.FeedRegistry)}/`

const SUMS = 'SHA256SUMS'

export async function readWasm(folder: string, name: WasmName): Promise<WasmFile> {
  const isOurs = folder === wasmFolder
  const path = isOurs ? wasmFiles[name] : join(folder, `${name}.wasm`)
  const bytes = await read(path) // before the checksums, so that a missing wasm is reported as such
  const sums = await read(isOurs ? checksums : join(folder, SUMS))
  const actual = hash('sha256', bytes)
  const expected = parseSums(new TextDecoder().decode(sums)).find(({ file }) => file === `${name}.wasm`)
  if (expected === undefined)
    throw new WasmError({ path, rule: `has no checksum in ${SUMS}; build the contracts again` })
  if (actual !== expected.sha256)
    throw new WasmError({ path, rule: `does not match its checksum in ${SUMS}; build the contracts again` })
  return { bytes, sha256: actual }
}

async function read(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch {
    throw new WasmError({ path, rule: 'cannot be read; build the contracts first' })
  }
}

/** Returns the name of our code with a digest, in hex; null if it is not ours. */
export async function findWasmName(sha256: string): Promise<string | null> {
  const sums = parseSums(await readFile(checksums, 'utf8'))
  return sums.find((each) => each.sha256 === sha256)?.file.replace(/\.wasm$/, '') ?? null
}

/** Parses the output of `sha256sum`: digits, a space or an asterisk, the path. Ignores other lines. */
const parseSums = (text: string): { sha256: string; file: string }[] =>
  text.split(/\r?\n/).flatMap((line) => {
    const [, sha256, file] = /^([0-9a-f]{64}) [ *](?:.*\/)?([^/]+)$/.exec(line) ?? []
    return sha256 === undefined || file === undefined ? [] : [{ sha256, file }]
  })
