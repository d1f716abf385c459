/**
 * Creates the demo's proof of eligibility: `bun scripts/recordDemoClaim.ts`. Run it after the gate's wasm has changed. The
 * gate's package hash follows from the wasm and the demo's keys and clock.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDemoChain } from '../src/demo/demoChain.ts'
import { findPackages, loadProver } from '../src/operator/eligibility/packages.ts'
import { formatProof } from '../src/operator/eligibility/proofFile.ts'
import { prove } from '../src/operator/eligibility/prove.ts'
import { createTree } from '../src/operator/eligibility/tree.ts'

const directory = await mkdtemp(join(tmpdir(), 'wattfeed-demo-'))
try {
  await using chain = await startDemoChain(0, directory)
  await findPackages(process.env, console.error)
  const { Identity } = await loadProver()
  const identity = Identity.import(Buffer.alloc(32, 1).toString('base64'))
  const proof = await prove({
    identity,
    tree: await createTree([identity.commitment]),
    accountHash: chain.signer.accountHash.replace(/^account-hash-/, ''),
    gatePackageHash: chain.packageHashes.EligibilityGate,
  })
  const path = new URL('../src/demo/claim.json', import.meta.url).pathname
  await writeFile(path, `${JSON.stringify(formatProof(proof), null, 2)}\n`)
} finally {
  await rm(directory, { recursive: true, force: true })
}
