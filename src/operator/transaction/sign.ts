import { defineError } from '@wattfeed/base'
import { NotAssociatedError, type Signer } from '@wattfeed/casper/transaction'
import { formatAccountHash } from '@wattfeed/casper/types'
import { loadPayingSigner } from '../openPayer.ts'
import type { JsonOption, Program } from '../program.ts'
import { askText, type PromptStreams } from '../prompt.ts'
import { readSettings, transactionSettings } from '../settings.ts'
import { assertUsable, type Inspection, inspectTransaction } from './inspectTransaction.ts'
import { formatTransaction, reportTransaction } from './report.ts'
import { addApproval } from './transactionFile.ts'

export type SigningReason = 'signed_already' | 'attestation' | 'declined'

/** A transaction that this key does not sign. The file was not changed. */
const SigningError = defineError(
  'SigningError',
  'signing',
  (facts: { reason: SigningReason; message: string }) => facts.message,
)

const help = `
Shows the transaction as "show" does, asks, and adds the signature of ATTESTER_KEY_PATH to the file. It signs nothing
that is expired or was changed, and no call of attest or attest_many: only the agents of a committee sign those. With
CASPER_RPC_URL, it also checks that the key is associated with the account.

Sign a shared file one after the other: of two signatures in the same moment, one is lost.

Example:
  $ bun run transaction sign install.json`

export function addSign(program: Program): void {
  const { terminal } = program
  program
    .add('sign', 'add the signature of a key', help)
    .argument('<file>', 'the transaction')
    .option('--yes', 'sign without asking')
    .action((path: string, { json, yes = false }: JsonOption & { yes?: boolean }) =>
      terminal.run({ name: 'sign', json }, async () => {
        const settings = readSettings(program, transactionSettings, [
          'CASPER_CHAIN_NAME',
          'ATTESTER_KEY_PATH',
        ])
        const signer = await loadPayingSigner({ ...settings, attesterAccount: null }, terminal)
        const inspection = await inspectTransaction(path, { settings, terminal })
        const streams = { input: process.stdin, output: process.stderr }
        await signTransactionFile(inspection, signer, yes ? null : streams)
        const signed = await inspectTransaction(path, { settings, terminal })
        return {
          report: { command: 'sign', ...reportTransaction(signed) },
          text: formatTransaction(signed),
        }
      }),
    )
}

/**
 * Adds the approval of a key to a transaction's file.
 *
 * @param streams where to ask a person first; null not to ask
 * @throws {SigningError | TransactionFileError | NotAssociatedError | PromptClosedError} The file was not changed.
 */
export async function signTransactionFile(
  inspection: Inspection,
  signer: Signer,
  streams: PromptStreams | null,
): Promise<void> {
  assertUsable(inspection)
  assertSignable(inspection, signer)
  if (streams !== null) await confirm(inspection, signer, streams)
  await addApproval(inspection, signer.approve(inspection.transaction.hash))
}

const ATTESTATIONS: ReadonlySet<string> = new Set(['attest', 'attest_many'])

function assertSignable({ path, transaction, approvals, weight }: Inspection, signer: Signer): void {
  const { publicKey, keyHash } = signer
  if (transaction.target.kind !== 'native' && ATTESTATIONS.has(transaction.entryPoint))
    throw new SigningError({
      reason: 'attestation',
      message: `${path} calls ${transaction.entryPoint}, which only agents sign, because each compares the values with EIA first; run an agent whose key alone reaches the threshold`,
    })
  if (approvals.some(({ signer }) => signer === publicKey))
    throw new SigningError({ reason: 'signed_already', message: `${path} is already signed by ${publicKey}` })
  if (weight !== null && !weight.others.some(({ key }) => key === keyHash)) {
    const account = formatAccountHash(transaction.initiator.accountHash)
    throw new NotAssociatedError({ account, key: keyHash, weight: 0, threshold: weight.needed })
  }
}

async function confirm(inspection: Inspection, { publicKey }: Signer, streams: PromptStreams): Promise<void> {
  streams.output.write(`${formatTransaction(inspection)}\nyour key      ${publicKey}\n`)
  const message = 'sign it, yes or no'
  const parse = (answer: string): boolean => {
    if (answer === 'yes' || answer === 'no') return answer === 'yes'
    throw new Error('answer yes or no')
  }
  if (!(await askText({ message, suggestion: null, parse }, streams)))
    throw new SigningError({ reason: 'declined', message: `${inspection.path} was not signed` })
}
