import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writeAtomically } from '@wattfeed/base/disk'
import type { Purpose, Signer } from '@wattfeed/casper/transaction'
import { readJsonFile } from '../../runtime/readJsonFile.ts'
import { PreflightError } from '../preflight.ts'
import type { PackageHashes } from './deploymentState.ts'
import type { Step } from './step.ts'

const hash = Type.String({ pattern: '^[0-9a-f]{64}$', error: '64 hex digits' })
const motes = Type.String({ pattern: '^[0-9]+$', error: 'motes, in decimal digits' })
const wired = [Type.Literal('FeedRegistry'), Type.Literal('AttestationRegistry')] as const
const step = Type.Unsafe<Step>(
  Type.Union([
    Type.Object({
      kind: Type.Union([Type.Literal('install'), Type.Literal('upgrade')]),
      contract: Type.Union([...wired, Type.Literal('EligibilityGate')]),
    }),
    Type.Object({ kind: Type.Literal('wire'), contract: Type.Union([...wired]) }),
  ]),
)
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

const DeployedContract = Type.Object({
  package_hash: hash,
  /** Its newest version when the file was written. */
  contract_hash: hash,
  /** Checksum of this version's wasm; null if the version was found on chain. */
  wasm_sha256: orNull(hash),
})
export type DeployedContract = Static<typeof DeployedContract>

export const StepPurpose = Type.Object({ kind: Type.Literal('step'), step, wasm_sha256: orNull(hash) })
export type StepPurpose = Static<typeof StepPurpose>

/** Returns a stored purpose as that of a step. The store has checked its form. */
export const stepPurposeOf = (purpose: Purpose): StepPurpose => Value.Decode(StepPurpose, purpose)

const RecordedStep = Type.Object({
  step,
  transaction_hash: hash,
  payment_motes: motes,
  /** Null if it was never executed: then nothing was charged. */
  block_height: orNull(Type.Integer()),
  consumed_motes: orNull(motes),
  charged_motes: motes,
  /** Null if it succeeded. */
  error: orNull(Type.String()),
})
export type RecordedStep = Static<typeof RecordedStep>

/** A step's transaction that was written to a file. Others may send it until it expires. */
const WrittenStep = Type.Object({
  step,
  wasm_sha256: orNull(hash),
  transaction_hash: hash,
  payment_motes: motes,
  /** Epoch milliseconds. */
  expires_at: Type.Integer(),
  file: Type.String(),
})
export type WrittenStep = Static<typeof WrittenStep>

const Deployment = Type.Object({
  chain_name: Type.String(),
  /** `account-hash-…` of the owner and first-party attester. */
  account: Type.String(),
  public_key: Type.String(),
  contracts: Type.Object({
    FeedRegistry: orNull(DeployedContract),
    AttestationRegistry: orNull(DeployedContract),
    EligibilityGate: orNull(DeployedContract),
  }),
  transactions: Type.Array(RecordedStep),
  /** Absent or null if there is none. */
  written: Type.Optional(orNull(WrittenStep)),
})
export type Deployment = Static<typeof Deployment>

/** Reads a deployment file; null if it does not exist. @throws {PreflightError} if it is not one */
export const readDeployment = (path: string): Promise<Deployment | null> =>
  readJsonFile(path, {
    schema: Deployment,
    kind: 'a deployment file',
    cure: 'correct it, or name another file with --file',
    fail: (rule) => new PreflightError({ reason: 'deployment_file', message: `${path} ${rule}` }),
  })

export async function writeDeployment(path: string, deployment: Deployment): Promise<void> {
  await writeAtomically(path, `${JSON.stringify(deployment, null, 2)}\n`)
}

/** Reads a deployment file, or starts a new one in memory. @throws {PreflightError} for another chain or account. */
export async function openDeployment(path: string, chainName: string, signer: Signer): Promise<Deployment> {
  const found = await readDeployment(path)
  const { accountHash: account, publicKey: public_key } = signer
  if (found === null)
    return { chain_name: chainName, account, public_key, contracts: noContracts, transactions: [] }
  assertSame(path, 'chain', found.chain_name, chainName)
  assertSame(path, 'account', found.account, account)
  return found
}

const noContracts = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }

function assertSame(path: string, what: string, found: string, wanted: string): void {
  if (found !== wanted)
    throw new PreflightError({
      reason: 'deployment_file',
      message: `${path} belongs to the ${what} ${found}, not ${wanted}; name another file with --file`,
    })
}

/** Returns the packages of a deployment file. */
export function deployedHashes({ contracts }: Deployment): PackageHashes {
  return {
    FeedRegistry: contracts.FeedRegistry?.package_hash ?? null,
    AttestationRegistry: contracts.AttestationRegistry?.package_hash ?? null,
    EligibilityGate: contracts.EligibilityGate?.package_hash ?? null,
  }
}
