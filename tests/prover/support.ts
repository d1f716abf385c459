import { describe } from 'bun:test'
import { isInstalled } from '../../contracts/prover/packages.ts'

const isThere = isInstalled()
if (!isThere && process.env.REQUIRE_PROVER === '1')
  throw new Error(
    'REQUIRE_PROVER=1, and contracts/prover is not installed: bun install --cwd contracts/prover',
  )
if (!isThere)
  console.warn(
    'skipped: contracts/prover is not installed (bun install --cwd contracts/prover --frozen-lockfile)',
  )

/** Tests that need the prover's packages, which `bun install` does not install. */
export const describeProver = describe.skipIf(!isThere)
