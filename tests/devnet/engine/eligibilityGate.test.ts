import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import {
  type Arguments,
  clAddress,
  clBytes,
  clU256,
  encodeStoredValue,
  hashKey,
  stateKey,
} from '@wattfeed/casper/types'
import { contractPackageOf } from '@wattfeed/casper-devnet/testing/engine/contractPackageOf'
import { createEngineChain, type EngineChain } from '@wattfeed/casper-devnet/testing/engine/engineChain'
import type { ExecutionResult } from '../../../packages/casper-devnet/src/engine/execute.ts'
import { installAsOdra, upgradeAsOdra } from './support/odraDeployment.ts'

/** An identity's proof for an account of Odra's test backend. */
interface ProofLine {
  readonly backend: string
  readonly identity: number
  readonly account: number
  readonly merkle_root: string
  readonly nullifier: string
  /** Hex. */
  readonly proof: string
}

const proofs = readFileSync(new URL('../../../fixtures/eligibility/proofs.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line): ProofLine[] => (line === '' ? [] : [JSON.parse(line)]))
  .filter(({ backend }) => backend === 'casper')

function proofOf(identity: number): ProofLine {
  const found = proofs.find((proof) => proof.identity === identity && proof.account === 1)
  if (found === undefined) throw new Error(`identity ${identity} made no proof`)
  return found
}

/** Address of the gate in that backend; the proofs are valid only there. */
const gateHash = Uint8Array.fromHex('7fb678e2c5d54be2ed7aa52354ac1cf7296517d1cad728f1837aa5b3cecc8fbd')
/** Accounts 1 and 2 of that backend. */
const claimant = Uint8Array.fromHex('105b69f2d74a211a6cb337cba6751a8f15cc7b44b7c65329c29731b67e1ac047')
const other = Uint8Array.fromHex('147f2cc33b4fdb04ab4e9ef2c067137177097ba50a544a0a343ce636028fcfcf')
const owner = new Uint8Array(32).fill(1)

/** Moves an installed package to its address in Odra's test backend, because the engine generates addresses like a node. */
function movePackage(chain: EngineChain, from: Uint8Array, to: Uint8Array): void {
  const contractPackage = contractPackageOf(chain, from)
  chain.state.set(stateKey(hashKey(to)), encodeStoredValue({ kind: 'ContractPackage', contractPackage }))
  for (const { contractHash } of contractPackage.versions) {
    const stored = chain.read(hashKey(contractHash))
    if (stored?.kind !== 'Contract') throw new Error('a version names a contract')
    const contract = { ...stored.contract, packageHash: to }
    chain.state.set(stateKey(hashKey(contractHash)), encodeStoredValue({ kind: 'Contract', contract }))
  }
}

const outcome = ({ error, consumed }: ExecutionResult) => ({ error, consumed })

// All figures come from the same calls in Odra's test backend on the node's own execution engine.
describe('the EligibilityGate', () => {
  const chain = createEngineChain()
  const call = (initiator: Uint8Array, entryPoint: string, args: Arguments) =>
    chain.execute({
      initiator,
      target: { kind: 'call', contract: { packageHash: gateHash, version: null }, entryPoint },
      args,
    })
  const setRoot = (root: bigint) => call(owner, 'set_root', { root: clU256(root) })
  const claim = (initiator: Uint8Array, { merkle_root, nullifier, proof }: ProofLine) =>
    call(initiator, 'claim', {
      merkle_root: clU256(BigInt(merkle_root)),
      nullifier: clU256(BigInt(nullifier)),
      proof: clBytes(Uint8Array.fromHex(proof)),
    })
  let deployed: ReturnType<typeof outcome>[]

  beforeAll(() => {
    for (const account of [owner, claimant, other]) chain.addAccount(account)
    const { installed, packageHash } = installAsOdra(chain, owner, 'EligibilityGate')
    const upgraded = Array.from({ length: 5 }, () =>
      upgradeAsOdra(chain, owner, 'EligibilityGate', packageHash),
    )
    deployed = [installed, ...upgraded].map(outcome)
    movePackage(chain, packageHash, gateHash)
  })

  test('default: installing and upgrading cost the same as on a node', () => {
    expect(deployed).toEqual(
      [
        222_335_612_769n,
        239_636_471_338n,
        239_852_103_122n,
        240_067_775_481n,
        240_283_514_575n,
        240_499_320_404n,
      ].map((consumed) => ({ error: null, consumed })),
    )
  })

  test('default: verifying a proof costs the same as on a node', () => {
    expect(setRoot(BigInt(proofOf(0).merkle_root)).error).toBeNull()
    const roots = Array.from({ length: 15 }, (_, index) => setRoot(BigInt(index + 1)))
    expect(roots.map(outcome).at(-1)).toEqual({ error: null, consumed: 298_755_734n })
    expect(outcome(claim(claimant, proofOf(0)))).toEqual({ error: null, consumed: 29_843_996_037n })
  })

  test('error: a proof for another account, and a used proof', () => {
    expect(outcome(claim(other, proofOf(1)))).toEqual({ error: 'User error: 5', consumed: 29_181_993_135n })
    expect(outcome(claim(claimant, proofOf(0)))).toEqual({ error: 'User error: 3', consumed: 79_323_480n })
  })

  test('behavior: an account is eligible after its claim', () => {
    const isEligible = (who: Uint8Array) =>
      call(other, 'is_eligible', { who: clAddress(`account-hash-${who.toHex()}`) }).returned
    expect([claimant, other].map(isEligible)).toEqual([
      { clType: 'Bool', bytes: Uint8Array.of(1) },
      { clType: 'Bool', bytes: Uint8Array.of(0) },
    ])
  })
})
