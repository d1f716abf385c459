import { readExecution } from '@wattfeed/casper/testing/internals'
import type { ExecutedTransaction } from '@wattfeed/casper/transaction'
import type { Devnet } from '@wattfeed/casper-devnet'

type Node = Pick<Devnet, 'call'>

export const tipHeight = async (node: Node): Promise<number> => (await getBlock(node, null)).height

export const tipHash = async (node: Node): Promise<string> => (await getBlock(node, null)).hash

/** Returns the results of all transactions after block `height`, in order. */
export async function listExecuted(node: Node, height: number): Promise<ExecutedTransaction[]> {
  const tip = await tipHeight(node)
  const executed: ExecutedTransaction[] = []
  for (let next = height + 1; next <= tip; next++)
    for (const hash of (await getBlock(node, next)).hashes) executed.push(await getExecuted(node, hash))
  return executed
}

/** Returns the balance of an account, in motes. */
export async function balanceOf(node: Node, publicKey: string): Promise<bigint> {
  const purse_identifier = { main_purse_under_public_key: publicKey }
  return BigInt((await call(node, 'query_balance', { purse_identifier })).balance)
}

async function getBlock(
  node: Node,
  height: number | null,
): Promise<{ hash: string; height: number; hashes: string[] }> {
  const params = height === null ? {} : { block_identifier: { Height: height } }
  const { hash, header, body } = (await call(node, 'chain_get_block', params)).block_with_signatures.block
    .Version2
  const lanes: { Version1: string }[][] = Object.values(body.transactions)
  return { hash, height: header.height, hashes: lanes.flat().map(({ Version1 }) => Version1) }
}

async function getExecuted(node: Node, hash: string): Promise<ExecutedTransaction> {
  const params = { transaction_hash: { Version1: hash }, finalized_approvals: false }
  const { execution_info } = await call(node, 'info_get_transaction', params)
  const executed = readExecution(hash, execution_info)
  if (executed === null) throw new Error(`no block contains ${hash}`)
  return executed
}

/** Returns the untyped result of a call. */
async function call(node: Node, method: string, params: object) {
  const answer = await node.call(method, params)
  if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`)
  return Object(answer.result)
}
