import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The wasm of a contract that only tests install: `contracts/build --stubs` makes it from `contracts/stubs`. */
export async function readStub(
  name: 'LegacyFeedRegistry' | 'LegacyAttestationRegistry' | 'Relay',
): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(import.meta.dir, 'stubs', `${name}.wasm`)))
}
