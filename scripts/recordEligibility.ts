import { writeFile } from 'node:fs/promises'
import { changeGroup, leavesOf } from '../src/operator/eligibility/group.ts'
import { writeGroupFile } from '../src/operator/eligibility/groupFile.ts'
import { loadProver, preparePackages } from '../src/operator/eligibility/packages.ts'
import { formatProof, writeProofFile } from '../src/operator/eligibility/proofFile.ts'
import { prove } from '../src/operator/eligibility/prove.ts'
import { createTree } from '../src/operator/eligibility/tree.ts'

/**
 * Creates the proofs for the claims in the contract's tests: `bun scripts/recordEligibility.ts`.
 *
 * Odra's two test backends always use these package hashes (of the first contract that the first account installs) and
 * accounts.
 */
const gates = {
  odra: '1000000000000000000000000000000000000000000000000000000000000000',
  casper: '7fb678e2c5d54be2ed7aa52354ac1cf7296517d1cad728f1837aa5b3cecc8fbd',
}
const accounts = [
  '0ee624f1bbaec23e6dc6b877815f322058045c45cdbf8ef53e7db2c58b0af309',
  '105b69f2d74a211a6cb337cba6751a8f15cc7b44b7c65329c29731b67e1ac047',
  '147f2cc33b4fdb04ab4e9ef2c067137177097ba50a544a0a343ce636028fcfcf',
]

/** The account and the gate of the tests that claim without a chain. */
const scripted = {
  accountHash: '009d0bee270d7d582e41a7382cfdf4957b55b9fd3e82c358c200f5927835ec8e',
  gatePackageHash: '6979f836048ae35a92eb6c019b2df188d5717ef4325d7c390465bdd38e3187f5',
}

/** Which identity vouches for which account. */
const claims = [
  { identity: 0, account: 1 },
  { identity: 0, account: 2 },
  { identity: 1, account: 1 },
  { identity: 1, account: 2 },
]

await preparePackages(process.env, console.error)
const { Identity } = await loadProver()
const privateKeys = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'))
const identities = privateKeys.map((key) => Identity.import(key))
const publicKeys = identities.map(({ publicKey }) => publicKey)
const group = await changeGroup({ members: [], roots: [] }, { added: publicKeys, removed: [] })
const tree = await createTree(leavesOf(group.members))

const lines: string[] = []
for (const [backend, gatePackageHash] of Object.entries(gates))
  for (const { identity: index, account } of claims) {
    const identity = identities[index]
    const accountHash = accounts[account]
    if (identity === undefined || accountHash === undefined) throw new Error('no such identity or account')
    const proof = await prove({ identity, tree, accountHash, gatePackageHash })
    lines.push(JSON.stringify({ backend, identity: index, account, ...formatProof(proof) }))
  }
const folder = new URL('../fixtures/eligibility/', import.meta.url).pathname
await writeFile(`${folder}proofs.jsonl`, `${lines.join('\n')}\n`)
await writeGroupFile(`${folder}group.json`, group)
const [identity] = identities
if (identity === undefined) throw new Error('there are identities')
await writeProofFile(`${folder}claim.json`, await prove({ identity, tree, ...scripted }))
