import { type ExecutedTransaction, readExecution } from '../../src/agent/transaction/execution.ts'
import type { Devnet } from '../../src/devnet/chain/createDevnet.ts'

/** Height of the newest block. */
export const tipHeight = async (devnet: Devnet): Promise<number> => (await getBlock(devnet, null)).height

/** What became of every transaction that a block behind `height` holds, in their order. */
export async function listExecuted(devnet: Devnet, height: number): Promise<ExecutedTransaction[]> {
  const tip = await tipHeight(devnet)
  const executed: ExecutedTransaction[] = []
  for (let next = height + 1; next <= tip; next++)
    for (const hash of (await getBlock(devnet, next)).hashes) executed.push(await getExecuted(devnet, hash))
  return executed
}

/** What an account has, in motes. */
export async function balanceOf(devnet: Devnet, publicKey: string): Promise<bigint> {
  const purse_identifier = { main_purse_under_public_key: publicKey }
  return BigInt((await call(devnet, 'query_balance', { purse_identifier })).balance)
}

async function getBlock(
  devnet: Devnet,
  height: number | null,
): Promise<{ height: number; hashes: string[] }> {
  const params = height === null ? {} : { block_identifier: { Height: height } }
  const { header, body } = (await call(devnet, 'chain_get_block', params)).block_with_signatures.block
    .Version2
  const lanes: { Version1: string }[][] = Object.values(body.transactions)
  return { height: header.height, hashes: lanes.flat().map(({ Version1 }) => Version1) }
}

async function getExecuted(devnet: Devnet, hash: string): Promise<ExecutedTransaction> {
  const params = { transaction_hash: { Version1: hash }, finalized_approvals: false }
  const { execution_info } = await call(devnet, 'info_get_transaction', params)
  const executed = readExecution(hash, execution_info)
  if (executed === null) throw new Error(`no block holds ${hash}`)
  return executed
}

/** The result of a call, in which the test knows its way. */
async function call(devnet: Devnet, method: string, params: object) {
  const answer = await devnet.call(method, params)
  if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`)
  return Object(answer.result)
}
