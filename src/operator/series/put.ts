import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { MIN_PAYMENT_MOTES } from '@wattfeed/casper/transaction'
import { formatSeries } from '@wattfeed/dataset'
import { Option } from 'commander'
import { createContractProof } from 'wattfeed/series'
import { formatTable } from '../../runtime/formatTable.ts'
import { formatSettings } from '../../runtime/settings/formatSettings.ts'
import { option } from '../../runtime/settings/option.ts'
import { packageHash } from '../../runtime/settings/textTypes.ts'
import { formatCspr } from '../amounts.ts'
import { runPaying } from '../exitCode.ts'
import { openRpc } from '../open.ts'
import { openPayer } from '../openPayer.ts'
import { outcomeFields } from '../outcomeFields.ts'
import { addOutOptions, type PaidOptions, type Program } from '../program.ts'
import { neededToPay, putSettings, readSettings } from '../settings.ts'
import { readProof } from '../verify/readProof.ts'
import { readBoardState } from './boardState.ts'
import { createPutCall, type PutCall, PutPurpose, submitPut } from './submitPut.ts'

const help = `
Settings, from the environment:
${formatSettings(putSettings)}

A board verifies a proof and keeps the value for other contracts. Anyone may put one. Contracts read it under the attester of the root, the
series, the unit and the decimals: give those that they pin.

The lane, the payment and what a call that fails loses are printed before anything is sent. If the board has the value by the newest root,
nothing is sent, and state is done. A sent transaction is stored in AGENT_STATE_DIR until it is settled. A second run resumes it.

Examples:
  $ bun run series put price.json --board hash-7fb6… --decimals 2 --dry-run
  $ CASPER_RPC_URL=http://127.0.0.1:11101/rpc CASPER_CHAIN_NAME=casper-devnet \\
    ATTESTER_KEY_PATH=keys/secret_key.pem bun run series put price.json --board hash-7fb6… --decimals 2 --json`

interface Options extends PaidOptions {
  board: string
  decimals: number
  unit?: string
  statement?: 'value_of' | 'newest_value'
}

const NAME = 'put'

export function addPut(program: Program): void {
  addOutOptions(program.add(NAME, 'put a value on a board, for contracts to read', help))
    .argument('<proof>', 'file that --proof wrote, URL of /v1/series/proof, or - for standard input')
    .requiredOption('--board <hash>', 'package hash of the board', option(packageHash()))
    .requiredOption(
      '--decimals <count>',
      'decimals that the contracts pin, up to 18',
      option(Type.Integer({ minimum: 0, maximum: 18 })),
    )
    .option('--unit <unit>', 'unit that the contracts pin, empty for none (default: that of the value)')
    .addOption(
      new Option('--statement <name>', 'what to put (default: what the proof is of)').choices([
        'value_of',
        'newest_value',
      ]),
    )
    .option('--dry-run', 'check everything and send nothing')
    .action((source: string, options: Options) =>
      runPaying(program, { name: NAME, json: options.json }, async (onStep) => {
        const { report, text } = await put(program, source, { options, onStep })
        return { report: { command: NAME, ...report }, text }
      }),
    )
}

interface Run {
  options: Options
  onStep: (sendStep: { readonly step: string }) => void
}

async function put({ terminal, ...program }: Program, source: string, { options, onStep }: Run) {
  const settings = readSettings({ terminal, ...program }, putSettings, neededToPay)
  const call = await readCall(source, options, settings.paymentMotes)
  const rpc = openRpc(settings)
  const { newest, id } = await readBoardState(rpc, call)
  terminal.warn(formatCost(call))
  const { agentStateDir: stateDir } = settings
  using payer = await openPayer(options, {
    ...{ settings, rpc, terminal, stateDir, purpose: NAME, onStep },
    lock: [join(stateDir, 'board_put.lock'), NAME],
    contract: call.board,
    openStore: (place) => createSqliteStore({ ...place, purpose: PutPurpose }),
    nameOf: () => NAME,
  })
  const outcome = await submitPut(call, payer)
  const facts = { state: outcome.state, board: `hash-${call.board}`, id, attester: newest?.attester ?? null }
  const { proof, series, argumentBytes } = call
  const report = {
    ...facts,
    series,
    statement: proof.statement,
    period: proof.period,
    value: proof.value,
    root: proof.root,
    argument_bytes: argumentBytes,
    ...outcomeFields(outcome),
  }
  const rows = Object.entries({ ...facts, ...outcomeFields(outcome) }).map(([name, value]) => [
    name,
    `${value}`,
  ])
  const shown = [formatSeries(series), proof.period, proof.value ?? '', proof.unit ?? ''].join(' ').trimEnd()
  return { report, text: formatTable([['value', shown], ['root', proof.root], ...rows]) }
}

/** Reads the proof, and creates the call. */
async function readCall(
  source: string,
  { board, decimals, unit, statement }: Options,
  paymentMotes: bigint | null,
): Promise<PutCall> {
  const document = await readProof(source, null)
  const pinned = unit === undefined ? {} : { unit: unit === '' ? null : unit }
  const proof = createContractProof(document, { ...pinned, ...(statement !== undefined && { statement }) })
  return createPutCall(proof, {
    ...{ board, decimals, unit: proof.unit },
    ...pinned,
    paymentMotes: paymentMotes ?? MIN_PAYMENT_MOTES,
  })
}

/** Says what the call takes, before anything is sent. */
const formatCost = ({ argumentBytes, lane, paymentMotes }: PutCall): string =>
  `${argumentBytes} bytes of arguments and ${formatCspr(paymentMotes)} take the lane of up to ${lane.maxArgumentBytes} bytes and ${formatCspr(lane.maxPaymentMotes)}, ${lane.transactionsPerBlock} a block; a call that fails loses the ${formatCspr(paymentMotes)}, and another root on chain fails it`
