import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Pending, pendingSchema, readTextFile } from '../../casper/transaction/pendingStore.ts'
import type { Signer } from '../../casper/transaction/signer.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { PreflightError } from './account.ts'
import type { Step } from './steps.ts'

const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const motes = Type.String({ pattern: '^[0-9]+$' })
const registry = [Type.Literal('FeedRegistry'), Type.Literal('AttestationRegistry')] as const
const step = Type.Unsafe<Step>(
  Type.Union([
    Type.Object({
      kind: Type.Union([Type.Literal('install'), Type.Literal('upgrade')]),
      contract: Type.Union([...registry, Type.Literal('EligibilityGate')]),
    }),
    Type.Object({ kind: Type.Literal('wire'), contract: Type.Union([...registry]) }),
  ]),
)
const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A contract of the deployment. */
const DeployedContract = Type.Object({
  package_hash: hash,
  /** Its newest version when it was last written here. */
  contract_hash: hash,
  /** Of the wasm that this version was made from; null where it was found on chain. */
  wasm_sha256: orNull(hash),
})
export type DeployedContract = Static<typeof DeployedContract>

/** What a pending transaction of a deployment is for. */
const StepPurpose = Type.Object({ step, wasm_sha256: orNull(hash) })
export type StepPurpose = Static<typeof StepPurpose>

/** A signed transaction that may be on its way. */
export type PendingStep = Pending<StepPurpose>

/** A transaction whose end is known. */
const SettledStep = Type.Object({
  step,
  transaction_hash: hash,
  payment_motes: motes,
  /** Null where it was never executed: then nothing was charged. */
  block_height: orNull(Type.Integer()),
  consumed_motes: orNull(motes),
  charged_motes: motes,
  /** Null where it succeeded. */
  error: orNull(Type.String()),
})
export type SettledStep = Static<typeof SettledStep>

/** What is known of a deployment, as its file holds it. */
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
  pending: orNull(pendingSchema<StepPurpose>(StepPurpose)),
  transactions: Type.Array(SettledStep),
})
export type Deployment = Static<typeof Deployment>

/** Reads a deployment file; null where there is none. Throws a `PreflightError` where it is not one. */
export async function readDeployment(path: string): Promise<Deployment | null> {
  const text = await readTextFile(path).catch(() => {
    throw new PreflightError('deployment_file', `${path} cannot be read`)
  })
  if (text === null) return null
  const value = parseJson(text)
  if (Value.Check(Deployment, value)) return value
  const { path: where = '', message = 'it is not JSON' } = Value.Errors(Deployment, value).First() ?? {}
  throw new PreflightError(
    'deployment_file',
    `${path} is no deployment file: ${where} ${message}; mend it, or name another file with --file`,
  )
}

/** Replaces the deployment file as a whole. */
export function writeDeployment(path: string, deployment: Deployment): Promise<void> {
  return writeAtomically(path, `${JSON.stringify(deployment, null, 2)}\n`)
}

/** The deployment that a file holds, or a new one. Throws a `PreflightError` where it is another chain's or account's. */
export async function openDeployment(path: string, chainName: string, signer: Signer): Promise<Deployment> {
  const found = await readDeployment(path)
  const { accountHash: account, publicKey: public_key } = signer
  if (found === null)
    return {
      chain_name: chainName,
      account,
      public_key,
      contracts: noContracts,
      pending: null,
      transactions: [],
    }
  assertSame(path, 'chain', found.chain_name, chainName)
  assertSame(path, 'account', found.account, account)
  return found
}

const noContracts = { FeedRegistry: null, AttestationRegistry: null, EligibilityGate: null }

function assertSame(path: string, what: string, found: string, wanted: string): void {
  if (found !== wanted)
    throw new PreflightError(
      'deployment_file',
      `${path} is of the ${what} ${found}, not ${wanted}; name another file with --file`,
    )
}
