/**
 * Verifies blocks by the signatures of validators, from the hash of a block that you trust. For Bun, Node.js and browsers.
 *
 * @module @wattfeed/casper/light-client
 */
export { InvalidArgumentError } from '@wattfeed/base'
export {
  checkFinality,
  finalityMessage,
  type SignedWeight,
  type ValidatorWeights,
} from '../consensus/finality.ts'
export { verifySignature } from '../consensus/verifySignature.ts'
export { type BlockPlace, readBlockPlace } from './blockPlace.ts'
export {
  createLightClient,
  type FinalBlock,
  type HeadRequest,
  type LightClient,
  type LightClientOptions,
} from './createLightClient.ts'
export {
  type Checkpoint,
  type CheckpointStore,
  createNamedValidators,
  createTrustedValidators,
  type TrustedValidatorsOptions,
  type Validators,
} from './createValidators.ts'
export type { StretchEnd } from './fetchStretch.ts'
export { type BlockPoint, findBlockAt, findBlockUntil } from './findBlockAt.ts'
export {
  type BlockIdentifier,
  type BlockRequest,
  getBlock,
  getBlockAt,
  isNoSuchBlock,
  isUnproven,
} from './getBlock.ts'
export { NodesDisagreeError } from './nodesDisagreeError.ts'
export {
  asSwitchBlock,
  type DecodeBlock,
  getBlockByHash,
  type SwitchBlock,
  waitingBytes,
  withoutRewards,
} from './switchBlocks.ts'
export { VerificationError, type VerificationLink } from './verificationError.ts'
export { type SwitchBlockWalk, type VerifiedSwitchBlock, verifySwitchBlocks } from './verifySwitchBlocks.ts'
