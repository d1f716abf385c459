import { CHAIN_NAME, json, keys } from '@wattfeed/casper/testing/sdkTransactions'
import {
  Args,
  ContractCallBuilder,
  Deploy,
  DeployHeader,
  ExecutableDeployItem,
  SessionBuilder,
  Timestamp,
} from 'casper-js-sdk'
import type { Names, Step } from './steps/step.ts'

/** A transaction in a node's JSON, and its hash. */
export interface SignedStep {
  transaction: object
  hash: string
}

export interface StepContext {
  timeMs: number
  names: Names
  /** Wasm by the names of sessions. */
  wasm: (session: string) => Uint8Array
}

const MOTES_PER_CSPR = 1_000_000_000

export function signStep(step: Step, context: StepContext): SignedStep {
  const { target } = step
  return 'session' in target && target.isDeploy
    ? signDeploy(target.session, step, context)
    : sign(step, context)
}

function sign({ target, args, by, paymentCspr }: Step, context: StepContext): SignedStep {
  const [initiator, ...others] = by
  const transaction = builderOf(target, context)
    .from(keys[initiator].publicKey)
    .chainName(CHAIN_NAME)
    .timestamp(new Timestamp(new Date(context.timeMs)))
    .payment(Math.round(paymentCspr * MOTES_PER_CSPR), 1)
    .runtimeArgs(Args.fromMap(args(context.names)))
    .build()
  for (const each of [initiator, ...others]) transaction.sign(keys[each])
  return { transaction: { Version1: json(transaction.toJSON()) }, hash: transaction.hash.toHex() }
}

function builderOf(
  target: Step['target'],
  { names, wasm }: StepContext,
): SessionBuilder | ContractCallBuilder {
  if ('session' in target) {
    const builder = new SessionBuilder().wasm(wasm(target.session))
    return target.isInstall ? builder.installOrUpgrade() : builder
  }
  const builder = new ContractCallBuilder().entryPoint(target.entryPoint)
  return 'contract' in target
    ? builder.byHash(names(target.contract).replace('hash-', ''))
    : builder.byPackageHash(names(target.package).replace('hash-', ''))
}

function signDeploy(
  session: string,
  { args, by: [initiator], paymentCspr }: Step,
  { timeMs, names, wasm }: StepContext,
): SignedStep {
  const header = DeployHeader.default()
  header.account = keys[initiator].publicKey
  header.chainName = CHAIN_NAME
  header.timestamp = new Timestamp(new Date(timeMs))
  const payment = ExecutableDeployItem.standardPayment(String(paymentCspr * MOTES_PER_CSPR))
  const code = ExecutableDeployItem.newModuleBytes(wasm(session), Args.fromMap(args(names)))
  const deploy = Deploy.makeDeploy(header, payment, code)
  deploy.sign(keys[initiator])
  return { transaction: { Deploy: json(Deploy.toJSON(deploy)) }, hash: deploy.hash.toHex() }
}
