// All verifying code, loaded on demand as one module, because it compresses better than two.
export { checkFeedProof } from './feedProof/checkFeedProof.ts'
export { createVerifiedChain } from './verifiedChain.ts'
