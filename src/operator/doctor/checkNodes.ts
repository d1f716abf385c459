import { WattfeedError } from '@wattfeed/base'
import {
  ChainNameMismatchError,
  type Node,
  type Rpc,
  readNewestBlock,
  readProtocolVersion,
} from '@wattfeed/casper'
import { isNewerThanTried, NEWEST_TRIED } from '../../runtime/protocolVersion.ts'
import { type Finding, failed, passed, warned } from './finding.ts'

/** A block is made every 8 to 16 seconds. */
const MAX_BLOCK_AGE_MS = 120_000

/** Checks each node by `info_get_status`: that it answers, is of the configured chain, and is not behind. */
export async function checkNodes(rpc: Rpc, now: () => number): Promise<readonly Finding[]> {
  const findings = await Promise.all(rpc.nodes.map((node) => checkNode(rpc, node, now)))
  // One node is enough.
  if (findings.every(({ state }) => state === 'failed')) return findings
  return findings.map((finding) => (finding.state === 'failed' ? { ...finding, state: 'warned' } : finding))
}

async function checkNode(rpc: Rpc, node: Node, now: () => number): Promise<Finding> {
  const check = `node ${node.host}`
  try {
    const status = await rpc.getStatus(node)
    const newest = readNewestBlock(status)
    const runs = `protocol ${describeVersion(readProtocolVersion(status))}`
    if (newest === null)
      return failed(
        check,
        `${runs}, but it has no block yet`,
        'wait until it has joined, or name another node',
      )
    const ageMs = (rpc.nodeTime() ?? now()) - newest.timestamp
    const found = `${runs}, newest block ${newest.height}`
    if (ageMs <= MAX_BLOCK_AGE_MS)
      return passed(check, `${found}, ${Math.max(0, Math.round(ageMs / 1_000))} s old`)
    return warned(
      check,
      `${found} is of ${new Date(newest.timestamp).toISOString()}`,
      'name a node in CASPER_RPC_URL that keeps up with its network; an embedded chain makes a block only for a transaction',
    )
  } catch (error) {
    if (!(error instanceof WattfeedError)) throw error
    if (error instanceof ChainNameMismatchError) {
      const { expected, actual } = error
      return failed(
        check,
        `is of the chain ${JSON.stringify(actual.slice(0, 100))}, not ${JSON.stringify(expected)}`,
        `if you want ${JSON.stringify(expected)}, set CASPER_RPC_URL to one of its nodes; else correct CASPER_CHAIN_NAME`,
      )
    }
    return failed(check, error.message, 'set CASPER_RPC_URL to the JSON-RPC of a node, which ends with /rpc')
  }
}

function describeVersion(version: string | null): string {
  if (version === null) return 'of an unknown version'
  return isNewerThanTried(version)
    ? `${version} (newer than ${NEWEST_TRIED}, the newest that this release was tried with)`
    : version
}
