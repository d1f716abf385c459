import type { JsonOption, Program } from '../program.ts'
import { readSettings, transactionSettings } from '../settings.ts'
import { inspectTransaction } from './inspectTransaction.ts'
import { formatTransaction, reportTransaction } from './report.ts'

const help = `
Everything is decoded from the bytes that the signatures cover, and the hash is computed again. With CASPER_RPC_URL, it
also says how much weight the signatures have, and what is missing; no other setting is needed.

Example:
  $ bun run transaction show install.json`

export function addShow(program: Program): void {
  program
    .add('show', 'say what a transaction does, and who has signed it', help)
    .argument('<file>', 'the transaction')
    .action((path: string, { json }: JsonOption) =>
      program.terminal.run({ name: 'show', json }, async () => {
        const settings = readSettings(program, transactionSettings)
        const { terminal } = program
        const inspection = await inspectTransaction(path, { settings, terminal })
        return {
          report: { command: 'show', ...reportTransaction(inspection) },
          text: formatTransaction(inspection),
        }
      }),
    )
}
