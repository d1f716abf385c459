// What `bundleClient` gives the hashing library in the place of its checks of arguments and its wiping of buffers, half a
// kilobyte gzipped: what is loaded at once hashes nothing but item keys, which are bytes that it made itself and no secrets.
export { createView, rotr, swap8IfBE, swap32IfBE, u32 } from '@noble/hashes/utils.js'

const nothing = (): void => {}

export { nothing as abytes, nothing as aexists, nothing as anumber, nothing as aoutput, nothing as clean }

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
