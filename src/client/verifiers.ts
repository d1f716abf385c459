// All that verifies, loaded when it is first needed: one module, because it compresses better than two.
export { checkFeedProof } from './feedProof/checkFeedProof.ts'
export { createVerifiedChain } from './verifiedChain.ts'
