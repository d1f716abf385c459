/** An account hash of Casper as text. */
export const accountHashPattern = 'account-hash-[0-9a-f]{64}'

/** A public key of Casper in hex, with the algorithm's byte: `01` Ed25519, `02` secp256k1. */
export const publicKeyPattern = '01[0-9a-f]{64}|02[0-9a-f]{66}'
