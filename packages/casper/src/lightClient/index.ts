export { checkFinality, finalityMessage, type ValidatorWeights } from '../consensus/finality.ts'
export { verifySignature } from '../consensus/verifySignature.ts'
export { type BlockPlace, readBlockPlace } from './blockPlace.ts'
export { createLightClient, type FinalBlock } from './createLightClient.ts'
export {
  type Checkpoint,
  type CheckpointStore,
  createNamedValidators,
  createTrustedValidators,
} from './createValidators.ts'
export { type BlockPoint, findBlockAt, findBlockUntil } from './findBlockAt.ts'
export { getBlock, getBlockAt, isNoSuchBlock, isUnproven } from './getBlock.ts'
export { NodesDisagreeError } from './nodesDisagreeError.ts'
export {
  asSwitchBlock,
  getBlockByHash,
  type SwitchBlock,
  waitingBytes,
  withoutRewards,
} from './switchBlocks.ts'
export { VerificationError } from './verificationError.ts'
export { verifySwitchBlocks } from './verifySwitchBlocks.ts'
