// What `bundleClient` gives those modules of the library that are loaded at once.
export { blake2b } from '@noble/hashes/blake2.js'
