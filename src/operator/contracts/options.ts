import { InvalidArgumentError } from 'commander'
import { type ContractName, contractNames } from '../../registry/installation.ts'
import { formatCspr, parseCspr } from '../amounts.ts'
import type { wasmPaymentMotes } from './payments.ts'

/** Payments of installing or upgrading, by contract, in motes. */
export type WasmPayments = typeof wasmPaymentMotes

/** Parses `--payment EligibilityGate=650`, which can be repeated. */
export function parsePayment(text: string, payments: WasmPayments): WasmPayments {
  const [name, cspr = ''] = text.split('=', 2)
  const contract = contractNames.find((each) => each === name)
  const motes = parseCspr(cspr)
  if (contract === undefined || motes === null)
    throw new InvalidArgumentError(
      `It must be one of ${contractNames.join(', ')}, then = and a number of CSPR.`,
    )
  return { ...payments, [contract]: motes }
}

/** Formats payments as on the command line: `FeedRegistry=200, …`. */
export const formatPayments = (payments: WasmPayments): string =>
  contractNames.map((name) => `${name}=${formatCspr(payments[name]).replace(' CSPR', '')}`).join(', ')

/** Parses the name of a contract; the option can be repeated. */
export function parseContract(text: string, names: readonly ContractName[] = []): ContractName[] {
  const contract = contractNames.find((each) => each === text)
  if (contract === undefined) throw new InvalidArgumentError(`It must be one of ${contractNames.join(', ')}.`)
  return [...names, contract]
}
