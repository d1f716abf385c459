import { encodeBigUint, encodeText } from '../../casper/types/arguments.ts'
import type { NewAttestation } from '../../registry/calls.ts'

/**
 * What an attestation consumes, in motes, as bounds on what was measured with the built wasm on the node's
 * execution engine, whose gas equals a node's (`contracts/test gas`). With an id of 23 bytes, an amount of 4 and a
 * hash of 32: 1.11 CSPR for one, 3.85 for four, 4.77 for five; 5.04 for five feeds from before claims existed, whose
 * claimant takes two reads more. Each byte of text costs what the chain keeps of it: an id once (the event), amount
 * and hash three times (newest value, history, event), 1,117,587 motes a time.
 */
interface GasBounds {
  callMotes: bigint
  attestationMotes: bigint
  idByteMotes: bigint
  amountByteMotes: bigint
  hashByteMotes: bigint
}

/** The contract that offers `attest_many`. */
const batchingContract: GasBounds = {
  callMotes: 200_000_000n,
  attestationMotes: 785_000_000n,
  idByteMotes: 1_800_000n,
  amountByteMotes: 3_700_000n,
  hashByteMotes: 3_600_000n,
}

/** The contract before it, which asks the FeedRegistry by a call: 1.49 CSPR with the same texts. */
const oldContract: GasBounds = {
  callMotes: 0n,
  attestationMotes: 1_291_000_000n,
  idByteMotes: 2_250_000n,
  amountByteMotes: 4_000_000n,
  hashByteMotes: 4_000_000n,
}

/**
 * The most gas, in motes, that a call with these attestations consumes.
 *
 * Throws an `ArgumentError` where one of them cannot stand on chain.
 */
export function estimateGas(attestations: readonly NewAttestation[], offersMany: boolean): bigint {
  const bounds = offersMany ? batchingContract : oldContract
  return attestations.reduce((sum, each) => sum + estimateOne(each, bounds), bounds.callMotes)
}

function estimateOne({ feedId, amount, sourceHash }: NewAttestation, bounds: GasBounds): bigint {
  const bytes = (encoded: Uint8Array): bigint => BigInt(encoded.length)
  return (
    bounds.attestationMotes +
    bounds.idByteMotes * bytes(encodeText(feedId)) +
    bounds.amountByteMotes * bytes(encodeBigUint(amount, 64)) +
    bounds.hashByteMotes * bytes(encodeText(sourceHash))
  )
}
