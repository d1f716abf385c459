import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Reads the wasm of a contract that only tests install. `contracts/build --stubs` builds it from `contracts/stubs`. */
export async function readStub(
  name: 'LegacyFeedRegistry' | 'LegacyAttestationRegistry' | 'Relay',
): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(import.meta.dir, 'stubs', `${name}.wasm`)))
}
