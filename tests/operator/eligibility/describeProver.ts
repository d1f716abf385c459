import { describe } from 'bun:test'
import { isInstalled } from '../../../src/operator/eligibility/packages.ts'

const isThere = isInstalled()
if (!isThere && process.env.REQUIRE_PROVER === '1')
  throw new Error(
    'REQUIRE_PROVER=1, and src/operator/eligibility/prover is not installed: bun install --cwd src/operator/eligibility/prover',
  )
if (!isThere)
  console.warn(
    'skipped: src/operator/eligibility/prover is not installed (bun install --cwd src/operator/eligibility/prover --frozen-lockfile)',
  )

/** Tests that need the prover's packages, which `bun install` does not install. */
export const describeProver = describe.skipIf(!isThere)
