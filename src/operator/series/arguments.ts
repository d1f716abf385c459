import { Type } from '@sinclair/typebox'
import { formatSeries } from '@wattfeed/dataset'
import { Option } from 'commander'
import { type ContractProof, type ContractStatement, createContractProof } from 'wattfeed/series'
import { exitCodes } from '../../runtime/exitCodes.ts'
import { formatTable } from '../../runtime/formatTable.ts'
import { option } from '../../runtime/settings/option.ts'
import { motes } from '../../runtime/settings/textTypes.ts'
import { formatCspr } from '../amounts.ts'
import type { JsonOption, Program } from '../program.ts'
import { readProof } from '../verify/readProof.ts'
import { contractRefusal } from './contractRefusal.ts'

const help = `
It turns a proof into the argument of a contract that uses the crate wattfeed, and sends nothing. The leaves of the proof are checked
against its root, but not the proof of that root: the contract reads the root from the chain.

Examples:
  $ bun run series arguments price.json
  $ bun run series arguments price.json --unit "cents per kilowatt-hour" --json > arguments.json
  $ bun run series arguments "http://localhost:4030/v1/series/proof?route=..." --statement newest_period`

const statements: readonly ContractStatement[] = ['value_of', 'newest_period', 'newest_value']

interface Options extends JsonOption {
  statement?: ContractStatement
  unit?: string
  argument: string
  otherBytes?: number
  payment?: bigint
  protocol?: string
}

export function addArguments(program: Program): void {
  const { terminal } = program
  program
    .add('arguments', 'turn a proof into the argument of a contract, and name its lane', help)
    .argument('<proof>', 'file that --proof wrote, URL of /v1/series/proof, or - for standard input')
    .addOption(
      new Option('--statement <name>', 'what the contract asks for (default: what the proof is of)').choices(
        statements,
      ),
    )
    .option('--unit <unit>', 'the unit that the contract pins, empty for none (default: that of the value)')
    .option('--argument <name>', 'name of the argument', 'proof')
    .option(
      '--other-bytes <count>',
      'size of the other arguments in bytes (default: 0)',
      option(Type.Integer({ minimum: 0 })),
    )
    .option('--payment <motes>', 'payment of the call (default: 2500000000, the minimum)', option(motes()))
    .option('--protocol <version>', 'protocol of the network, such as 2.0.3 (default: the newest known)')
    .action((source: string, options: Options) =>
      terminal.run({ name: 'arguments', json: options.json, leaves: 'nothing was written' }, async () => {
        const document = await readProof(source, null)
        const created = createContractProof(document, contractOptions(options))
        const refusal = contractRefusal(
          created,
          options.unit === undefined ? created.unit : pinnedUnit(options.unit),
        )
        return {
          report: { ...reportOf(created), refusal },
          text: format(created, refusal),
          exitCode: refusal === null ? exitCodes.done : exitCodes.someFailed,
        }
      }),
    )
}

const pinnedUnit = (unit: string): string | null => (unit === '' ? null : unit)

const contractOptions = ({ statement, unit, argument, otherBytes, payment, protocol }: Options) => ({
  argument,
  ...(statement !== undefined && { statement }),
  ...(unit !== undefined && { unit: pinnedUnit(unit) }),
  ...(otherBytes !== undefined && { otherArgumentBytes: otherBytes }),
  ...(payment !== undefined && { paymentMotes: payment }),
  ...(protocol !== undefined && { protocolVersion: protocol }),
})

const reportOf = (created: ContractProof) => ({
  command: 'arguments',
  series: created.series,
  statement: created.statement,
  period: created.period,
  value: created.value,
  unit: created.unit,
  root: created.root,
  size: created.size,
  arguments: created.arguments,
  argument_bytes: created.argumentBytes,
  lane: {
    max_argument_bytes: created.lane.maxArgumentBytes,
    max_payment_motes: String(created.lane.maxPaymentMotes),
    transactions_per_block: created.lane.transactionsPerBlock,
  },
  payment_motes: String(created.paymentMotes),
})

function format({ bytes, lane, paymentMotes, ...created }: ContractProof, refusal: string | null): string {
  const unit = created.unit === null ? '' : ` ${created.unit}`
  const hex = bytes.toHex()
  return [
    formatTable([
      ['series', formatSeries(created.series)],
      ['shows', `${created.statement} ${created.period} = ${created.value ?? 'withheld'}${unit}`],
      ...(refusal === null
        ? []
        : [['refused', `${refusal}: the call reverts, unless the contract handles that`]]),
      ['root', `${created.root} (of ${created.size} values)`],
      ['arguments', `${created.argumentBytes} bytes`],
      [
        'lane',
        `up to ${lane.maxArgumentBytes} bytes and ${formatCspr(lane.maxPaymentMotes)}, ${lane.transactionsPerBlock} a block`,
      ],
      [
        'if it fails',
        `the call loses its payment, ${formatCspr(paymentMotes)}; another root on chain fails it`,
      ],
    ]),
    '',
    `${created.arguments[0][0]}  ${hex}`,
  ].join('\n')
}
