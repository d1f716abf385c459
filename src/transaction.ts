import { createProgram } from './operator/program.ts'
import { transactionSettings } from './operator/settings.ts'
import { addSend } from './operator/transaction/send.ts'
import { addShow } from './operator/transaction/show.ts'
import { addSign } from './operator/transaction/sign.ts'
import { formatSettings } from './runtime/settings/formatSettings.ts'

const help = `
How several keys sign a transaction:
  1. a command that pays writes it with --out, for the account that ATTESTER_ACCOUNT names
  2. each key holder looks at the file with show, and adds a signature with sign
  3. anyone sends it; send says what is missing
The file has the node's own JSON, so other Casper tools can also read, sign and send it.

Settings, from the environment:
${formatSettings(transactionSettings)}

Exit codes:
  0  done
  1  nothing was signed or sent: the file, a setting, the key or a check is the cause
  2  it was sent, and was rejected, failed, expired, or is still pending; send the same file again to resume`

const program = createProgram('transaction', {
  description: 'Shows, signs and sends transactions in files, which need the signatures of several keys.',
  help,
  environment: process.env,
})
addShow(program)
addSign(program)
addSend(program)

export const transactionCommand = program.command

if (import.meta.main) await transactionCommand.parseAsync()
