// `bundleClient` replaces the hashing library's argument checks and buffer wiping with these, which saves half a kilobyte
// gzipped: the library hashes item keys, and when it verifies proofs and headers, always as a Uint8Array, and no secrets.
export { createView, rotr, swap8IfBE, swap32IfBE, u32 } from '@noble/hashes/utils.js'

const noop = (): void => {}

export { noop as abytes, noop as aexists, noop as anumber, noop as aoutput, noop as clean }

export const copyBytes = (bytes: Uint8Array): Uint8Array => bytes.slice()

export const checkOpts = (defaults: object, options: object): object => ({ ...defaults, ...options })

interface Hash {
  update(message: Uint8Array): Hash
  digest(): Uint8Array
}

export const createHasher =
  <Options>(create: (options: Options) => Hash) =>
  (message: Uint8Array, options: Options): Uint8Array =>
    create(options).update(message).digest()
