/**
 * Creates the demo's proofs of eligibility: `bun scripts/recordDemoClaim.ts`. Run it after the gate's wasm has changed. The
 * gate's package hash follows from the wasm and the demo's keys and clock.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DemoAccount, startDemoChain } from '../src/demo/demoChain.ts'
import { loadProver, preparePackages } from '../src/operator/eligibility/packages.ts'
import { formatProof } from '../src/operator/eligibility/proofFile.ts'
import { prove } from '../src/operator/eligibility/prove.ts'
import { createTree } from '../src/operator/eligibility/tree.ts'

const directory = await mkdtemp(join(tmpdir(), 'wattfeed-demo-'))
try {
  await using chain = await startDemoChain(0, directory)
  await preparePackages(process.env, console.error)
  const { Identity } = await loadProver()
  // Each account has a group of its own, whose only member vouches for it.
  const record = async ({ signer }: DemoAccount, secret: number, file: string): Promise<void> => {
    const identity = Identity.import(Buffer.alloc(32, secret).toString('base64'))
    const proof = await prove({
      identity,
      tree: await createTree([identity.commitment]),
      accountHash: signer.accountHash.replace(/^account-hash-/, ''),
      gatePackageHash: chain.packageHashes.EligibilityGate,
    })
    const path = new URL(`../src/demo/${file}`, import.meta.url).pathname
    await writeFile(path, `${JSON.stringify(formatProof(proof), null, 2)}\n`)
  }
  await record(chain.owner, 1, 'claim.json')
  await record(chain.user, 2, 'userClaim.json')
} finally {
  await rm(directory, { recursive: true, force: true })
}
