import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import checksums from '../../../contracts/wasm/SHA256SUMS' with { type: 'file' }
import { defineError } from '../../defineError.ts'
import { type WasmName, wasmFiles } from '../../registry/wasmFiles.ts'
import { sha256Hex } from '../../runtime/sha256.ts'

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
  const actual = sha256Hex(bytes)
  const expected = checksumOf(new TextDecoder().decode(sums), `${name}.wasm`)
  if (expected === null)
    throw new WasmError({ path, rule: `has no checksum in ${SUMS}; build the contracts again` })
  if (actual !== expected)
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

/** Finds a checksum in the output of `sha256sum`: digits, a space or an asterisk, the name. Ignores other lines. */
function checksumOf(sums: string, name: string): string | null {
  const lines = sums.split(/\r?\n/).map((line) => /^([0-9a-f]{64}) [ *](?:.*\/)?([^/]+)$/.exec(line))
  return lines.find((match) => match?.[2] === name)?.[1] ?? null
}
