import { readFile } from 'node:fs/promises'

/** Reads the session code that changes an account's keys. */
export const readSession = (): Promise<Uint8Array> => readFile('/tmp/Committee.wasm')
