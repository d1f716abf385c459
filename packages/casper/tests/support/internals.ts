/** What the tests of other packages use of the sources, and no entry exports. */

export { checkFinality, validatorWeights } from '../../src/consensus/finality.ts'
export { decodeMerkleProof } from '../../src/proof/merkleProof.ts'
export { readExecution } from '../../src/transaction/getTransaction.ts'
export { decodeBlockHeader } from '../../src/types/blockHeader.ts'
export { writeEntryPoint } from '../../src/types/contract.ts'
export { writeNamedKeys } from '../../src/types/namedKeys.ts'
export { U512_BYTES } from '../../src/types/u512.ts'
