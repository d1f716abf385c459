// `bundleClient` gives this to the modules of the library that are loaded eagerly.
export { blake2b } from '@noble/hashes/blake2.js'
