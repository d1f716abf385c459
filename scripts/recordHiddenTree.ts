/**
 * Creates the proofs of an attack on groups, for the gate and two accounts of the demo: `bun scripts/recordHiddenTree.ts`.
 *
 * A member of the group hides two identities behind one leaf. It submits the root of its own tree as the leaf: first as a
 * commitment, then as a coordinate of a public key. The tests claim with the resulting proofs.
 */
import { writeFile } from 'node:fs/promises'
import { bn254 } from '@noble/curves/bn254.js'
import { createDevnet } from '@wattfeed/casper-devnet'
import claim from '../src/demo/claim.json' with { type: 'json' }
import { hashToField } from '../src/operator/eligibility/fieldElement.ts'
import { changeGroup, commitmentOf, leavesOf } from '../src/operator/eligibility/group.ts'
import { DEPTH, type Identity, loadProver, preparePackages } from '../src/operator/eligibility/packages.ts'
import { formatProof } from '../src/operator/eligibility/proofFile.ts'
import { proveStatement } from '../src/operator/eligibility/prove.ts'
import { formatPublicKey, type Point, publicKeyFault } from '../src/operator/eligibility/publicKey.ts'
import { createTree } from '../src/operator/eligibility/tree.ts'

await preparePackages(process.env, console.error)
const { Group, poseidon2, ...prover } = await loadProver()
const identityOf = (number: number): Identity =>
  prover.Identity.import(Buffer.alloc(32, number).toString('base64'))
const honest = identityOf(1)
const gatePackageHash = claim.scope.replace('hash-', '')
const devnet = createDevnet({ seed: 'wattfeed demo', accounts: 2 })
const accounts = devnet.accounts.map(({ accountHash }) => accountHash.replace('account-hash-', ''))
await devnet.stop()

/** Proves membership with a path of any length, with each of two identities for its own account. */
const proveHidden = (
  identities: readonly Identity[],
  pathOf: (hidden: number) => { length?: number; index: number; siblings: readonly bigint[] },
) =>
  Promise.all(
    identities.map(async ({ secretScalar }, hidden) => {
      const { index, siblings, length = siblings.length } = pathOf(hidden)
      const accountHash = accounts[hidden] ?? ''
      const filled = [...siblings, ...Array<bigint>(DEPTH).fill(0n)].slice(0, DEPTH)
      const proven = await proveStatement({
        secret: secretScalar,
        merkleProofLength: length,
        merkleProofIndex: index,
        merkleProofSiblings: filled,
        scope: hashToField(gatePackageHash),
        message: hashToField(accountHash),
      })
      return formatProof({ ...proven, accountHash, gatePackageHash })
    }),
  )

/** Returns a point with this x whose order is that of an identity's key; null if there is none. */
async function pointWith(x: bigint): Promise<Point | null> {
  const { Fr } = bn254.fields
  const xx = Fr.sqr(x)
  try {
    const y = Fr.sqrt(Fr.div(Fr.sub(1n, Fr.mul(168700n, xx)), Fr.sub(1n, Fr.mul(168696n, xx))))
    return (await publicKeyFault([x, y])) === null ? [x, y] : null
  } catch {
    return null
  }
}

/** Tries identities until the root of their tree is a coordinate of a valid public key, which one in sixteen is. */
async function hideBehindKey(number = 20): Promise<{ hidden: Identity[]; root: bigint; publicKey: Point }> {
  const hidden = [identityOf(number), identityOf(number + 1)]
  const { root } = new Group(hidden.map(({ commitment }) => commitment))
  const publicKey = await pointWith(root)
  return publicKey === null ? hideBehindKey(number + 1) : { hidden, root, publicKey }
}

const { hidden, root, publicKey } = await hideBehindKey()
const siblingOf = (number: number): bigint => hidden[1 - number]?.commitment ?? 0n

// The leaf next to the honest member is the hidden tree's root.
const byCommitment = new Group([honest.commitment, root])
// The leaf is the hash of a public key whose x is the hidden tree's root.
const leaf = await commitmentOf(publicKey)
const byKey = new Group([honest.commitment, leaf])
const group = await changeGroup(
  { members: [], roots: [] },
  { added: [honest.publicKey, publicKey], removed: [] },
)
const path = (await createTree(leavesOf(group.members))).pathOf(leaf)
if (path === null) throw new Error('the leaf is in the tree')
const below = (number: number): bigint[] => [siblingOf(number), publicKey[1], ...path.siblings]

const record = {
  /** The leaf that the member submits. */
  commitment: root.toString(),
  public_keys: [honest.publicKey, publicKey].map(formatPublicKey),
  commitments: {
    root: byCommitment.root.toString(),
    proofs: await proveHidden(hidden, (number) => ({
      index: number + 2,
      siblings: [siblingOf(number), honest.commitment],
    })),
  },
  keys: {
    root: byKey.root.toString(),
    proofs: await proveHidden(hidden, (number) => ({
      index: number + 4,
      siblings: [siblingOf(number), publicKey[1], honest.commitment],
    })),
  },
  filled: {
    root: String(group.roots.at(-1)),
    too_long: await proveHidden(hidden, (number) => ({
      length: DEPTH + 2,
      index: number + 4,
      siblings: below(number),
    })),
    cut: await proveHidden(hidden, (number) => ({
      length: DEPTH,
      index: number + 4,
      siblings: below(number),
    })),
  },
}
if (poseidon2(publicKey) !== leaf) throw new Error('a commitment is the hash of a public key')
const file = new URL('../fixtures/eligibility/hiddenTree.json', import.meta.url).pathname
await writeFile(file, `${JSON.stringify(record, null, 2)}\n`)
