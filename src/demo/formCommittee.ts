import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { memberAt } from '@wattfeed/base'
import { createSqliteStore } from '@wattfeed/casper/sqlite'
import { loadSigner } from '@wattfeed/casper/transaction'
import { keyPath, writeKeys } from '@wattfeed/casper-devnet'
import { LIFETIME_MS } from '../agent/committee/slot.ts'
import { openState } from '../agent/state/openState.ts'
import { readMembers } from '../committee/membersFile.ts'
import { ChangePurpose, type ChangeSettings, submitChange } from '../operator/committee/submitChange.ts'
import { transactionSettings } from '../operator/settings.ts'
import { type Inspection, inspectTransaction } from '../operator/transaction/inspectTransaction.ts'
import { FilePurpose, type SendFileOptions, sendTransactionFile } from '../operator/transaction/send.ts'
import { signTransactionFile } from '../operator/transaction/sign.ts'
import { parseSettings } from '../runtime/settings/settings.ts'
import { type DemoChain, POLL_MS } from './demoChain.ts'

/** The names of the members. Each has an account of the chain; the first account is the committee's. */
export const memberNames = ['north', 'south', 'east', 'west', 'center']

/** How many of them must sign. */
export const THRESHOLD = 4

/** The chain's time that the change of keys takes. */
export const FORMATION_MS = 2 * LIFETIME_MS

export interface DemoMember {
  name: string
  /** Hex, with the algorithm's byte. */
  publicKey: string
  keyPath: string
  /** Port on loopback where its agent listens for the others. */
  port: number
}

export interface DemoCommittee {
  path: string
  members: readonly DemoMember[]
}

/**
 * Gives the demo's account a key of each member, in two steps as `committee apply` does. The chain's clock must be stopped;
 * it advances by {@link FORMATION_MS}.
 *
 * @param directory receives the members' keys and the members file
 */
export async function formCommittee(chain: DemoChain, directory: string): Promise<DemoCommittee> {
  const members = await createMembers(chain.devnet, directory)
  const path = join(directory, 'members.json')
  await writeFile(path, formatMembers(members))
  const { devnet, owner, clock, rpc } = chain
  const { signer } = owner
  const { accountHash } = signer
  const { committee } = await readMembers(path)
  using state = openState(directory, { purpose: 'demo' })
  const destination = { chainName: devnet.chainName, contract: 'committee', account: accountHash }
  const change: ChangeSettings = {
    rpc,
    signer,
    accountHash,
    chainName: devnet.chainName,
    store: createSqliteStore({ state, destination, purpose: ChangePurpose }),
    target: committee,
    removedRecovery: [],
    isStepwise: true,
    lifetimeMs: LIFETIME_MS,
    pollMs: POLL_MS,
    now: clock.now,
  }
  await submitChange(change)
  // Transactions that the first key signed alone expire first.
  clock.set(devnet.produceBlock().timestampMs + LIFETIME_MS)
  devnet.produceBlock()
  const files = { ...destination, contract: 'files' }
  const out = { path: join(directory, 'change.json'), lifetimeMs: LIFETIME_MS }
  await submitChange({ ...change, out })
  await sendTogether(chain, {
    path: out.path,
    members,
    store: createSqliteStore({ state, destination: files, purpose: FilePurpose }),
  })
  return { path, members }
}

async function createMembers({ accounts }: DemoChain['devnet'], directory: string): Promise<DemoMember[]> {
  const ports = await findFreePorts(memberNames.length)
  writeKeys(directory, accounts.slice(0, memberNames.length))
  return memberNames.map((name, index) => {
    const [account, port] = [accounts[index], ports[index]]
    if (account === undefined || port === undefined) throw new Error(`the chain has no account ${index}`)
    return { name, publicKey: account.publicKey, keyPath: keyPath(directory, index), port }
  })
}

/** Returns ports of loopback that are free now: the members file lists them before any agent has started. */
async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

const formatMembers = (members: readonly DemoMember[]): string =>
  JSON.stringify({
    thresholds: { deployment: THRESHOLD, keyManagement: THRESHOLD },
    members: members.map(({ publicKey, name, port }) => ({
      publicKey,
      weight: 1,
      name,
      address: `http://127.0.0.1:${port}`,
    })),
  })

/** Signs a transaction with the key of every member whose signature counts, and sends it. */
async function sendTogether(
  chain: DemoChain,
  { path, members, store }: Pick<SendFileOptions, 'store'> & { path: string; members: readonly DemoMember[] },
): Promise<void> {
  const { devnet, endpoint, owner, clock } = chain
  const terminal = { warn() {}, progress() {} }
  const environment = { CASPER_RPC_URL: endpoint.url, CASPER_CHAIN_NAME: devnet.chainName }
  const settings = parseSettings(transactionSettings, environment)
  const inspect = (): Promise<Inspection> => inspectTransaction(path, { settings, terminal })
  for (const member of members) {
    const { signer: other } = await loadSigner(member.keyPath, owner.signer.accountHash)
    const inspection = await inspect()
    if (inspection.weight?.others.some(({ key }) => key === other.keyHash))
      await signTransactionFile(inspection, other, null)
  }
  await sendTransactionFile(await inspect(), { store, terminal, pollMs: POLL_MS, now: clock.now })
}

/** Returns the names of the members who have signed a transaction; none without a committee. */
export async function listSigners(
  { devnet }: Pick<DemoChain, 'devnet'>,
  committee: Pick<DemoCommittee, 'members'> | null,
  transactionHash: string,
): Promise<string[]> {
  if (committee === null) return []
  const params = { transaction_hash: { Version1: transactionHash } }
  const answer = await devnet.call('info_get_transaction', params)
  const approvals = memberAt(answer, 'result', 'transaction', 'Version1', 'approvals')
  const keys = new Set((Array.isArray(approvals) ? approvals : []).map((each) => memberAt(each, 'signer')))
  return committee.members.filter(({ publicKey }) => keys.has(publicKey)).map(({ name }) => name)
}
