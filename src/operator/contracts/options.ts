import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ContractName, contractNames } from 'wattfeed/internal'
import { formatCspr, parseCspr } from '../amounts.ts'
import type { wasmPaymentMotes } from './payments.ts'
import { wasmFolder } from './wasmFile.ts'

/** Payments of installing or upgrading, by contract, in motes. */
type WasmPayments = typeof wasmPaymentMotes

export interface WasmOptions {
  wasm: string
  payment: WasmPayments
}

/** Adds the options of a command that sends wasm; `payments` are the defaults of `--payment`. */
export const withWasm = (command: Command, payments: WasmPayments): Command =>
  command
    .addOption(
      new Option('--wasm <folder>', 'folder with the built contracts and their SHA256SUMS').default(
        wasmFolder,
        'the ones in this package',
      ),
    )
    .addOption(
      new Option('--payment <contract=CSPR>', 'payment for one contract; can be repeated')
        .argParser(parsePayment)
        .default(payments, formatPayments(payments)),
    )

/** Parses `--payment EligibilityGate=650`, which can be repeated. */
function parsePayment(text: string, payments: WasmPayments): WasmPayments {
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
const formatPayments = (payments: WasmPayments): string =>
  contractNames.map((name) => `${name}=${formatCspr(payments[name]).replace(' CSPR', '')}`).join(', ')

/** Parses `--only FeedRegistry`, and adds it to the `names` of earlier ones. */
export function parseContract(text: string, names: readonly ContractName[] = []): ContractName[] {
  const contract = contractNames.find((each) => each === text)
  if (contract === undefined) throw new InvalidArgumentError(`It must be one of ${contractNames.join(', ')}.`)
  return [...names, contract]
}
