// `bundleClient` gives this, slimmed, to all modules of the library that hash with BLAKE2b.
export { blake2b } from '@noble/hashes/blake2.js'
