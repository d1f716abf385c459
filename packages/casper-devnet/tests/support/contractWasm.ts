import { readFileSync } from 'node:fs'

/** Reads the built wasm of one of our contracts. */
export const readContractWasm = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../../../contracts/wasm/${name}.wasm`, import.meta.url)))

/** The contract recorded in `gate-replay.jsonl`: it accepts every account that it was not told to exclude. */
export const readRecordedGate = (): Uint8Array =>
  new Uint8Array(readFileSync(new URL('../../../../fixtures/chain/openGate.wasm', import.meta.url)))
