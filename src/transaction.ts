import { createProgram } from './operator/program.ts'
import { addSend } from './operator/transaction/send.ts'
import { transactionHelp } from './operator/transaction/settings.ts'
import { addShow } from './operator/transaction/show.ts'
import { addSign } from './operator/transaction/sign.ts'

const program = createProgram('transaction', {
  description: 'Shows, signs and sends transactions in files, which need the signatures of several keys.',
  help: transactionHelp,
  environment: process.env,
})
addShow(program)
addSign(program)
addSend(program)

export const transactionCommand = program.command

if (import.meta.main) await transactionCommand.parseAsync()
