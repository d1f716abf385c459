import { memberAt } from '@wattfeed/base'
import { getStateRootHash, type Rpc } from '@wattfeed/casper'
import { createMemoryStore, type MemoryStore } from '@wattfeed/casper/testing/memoryStore'
import { getAccountAt, type Signer } from '@wattfeed/casper/transaction'
import { createDevnet, type Devnet, type DevnetAccount } from '@wattfeed/casper-devnet'
import { rpcOf } from '@wattfeed/casper-devnet/testing/rpc'
import { getExecution, putTransaction, signersOf } from '@wattfeed/casper-devnet/testing/sender'
import { createFolder } from '@wattfeed/testing/folder'
import { type Committee, committeeOfAccount } from '../../../src/committee/committee.ts'
import { type ChangeSettings, submitChange } from '../../../src/operator/committee/submitChange.ts'
import type { Outcome } from '../../../src/operator/payAll.ts'
import { type NodeScript, type ScriptedDevnet, scriptDevnet } from '../../support/scriptedDevnet.ts'

const START = 1_800_000_000_000

/** How long a transaction can be executed in these tests. */
export const LIFETIME_MS = 300_000

/** An embedded chain with an account whose keys change. */
export interface CommitteeChain {
  devnet: Devnet
  node: ScriptedDevnet
  rpc: Rpc
  /** The keys of members; the first is the account's own. */
  members: readonly DevnetAccount[]
  signers: readonly Signer[]
  store: MemoryStore
  /** Returns a committee of members by their numbers, with these weights. */
  committee(
    threshold: number,
    weights: Readonly<Record<number, number>>,
    recovery?: readonly number[],
  ): Committee
  /** Changes the account's keys as the command does, with the first member's key. */
  change(target: Committee, options?: Partial<ChangeSettings>): Promise<Outcome>
  /** Writes the change to a file, signs it with these members' keys, and sends it. Returns the execution's error. */
  changeTogether(
    target: Committee,
    by: readonly number[],
    options?: Partial<ChangeSettings>,
  ): Promise<string | null>
  /** Reads the account's keys at the newest block. */
  read(recovery?: Iterable<string>): Promise<Committee>
  /** Lets time pass, and makes a block. */
  wait(ms: number): void
}

/**
 * Creates a chain with members.
 *
 * @param script of the node that the command calls
 * @param retainedRoots number of newest state roots that stay readable
 */
export async function createCommitteeChain(
  script: NodeScript = {},
  retainedRoots = 256,
): Promise<CommitteeChain> {
  let time = START
  const devnet = createDevnet({ accounts: 8, now: () => time, blockTimeMs: 'manual', retainedRoots })
  const node = scriptDevnet(devnet, script)
  const { chainName, accounts: members } = devnet
  const rpc = rpcOf(node.answer, { chainName })
  const signers = await signersOf(members)
  const store = createMemoryStore()
  const [signer, account] = [signers[0], members[0]]
  if (signer === undefined || account === undefined) throw new Error('the chain has no accounts')

  const change: CommitteeChain['change'] = (target, options = {}) =>
    submitChange({
      rpc,
      signer,
      chainName,
      store,
      accountHash: account.accountHash,
      target,
      removedRecovery: [],
      isStepwise: false,
      lifetimeMs: LIFETIME_MS,
      pollMs: 1,
      wait: async () => {},
      // Transactions with equal contents have equal hashes.
      now: () => (time += 1),
      ...options,
    })

  return {
    devnet,
    node,
    rpc,
    members,
    signers,
    store,
    change,
    committee: (threshold, weights, recovery = []) => ({
      weights: new Map(
        Object.entries(weights).map(([index, weight]) => [hashOf(members, Number(index)), weight]),
      ),
      recovery: new Set(recovery.map((index) => hashOf(members, index))),
      deployment: threshold,
      keyManagement: threshold,
    }),
    async changeTogether(target, by, options) {
      using folder = createFolder()
      const path = `${folder.path}/change.json`
      const out = { path, lifetimeMs: LIFETIME_MS }
      await change(target, { out, ...options })
      const transaction = JSON.parse(await Bun.file(path).text())
      const hash = String(memberAt(transaction, 'Version1', 'hash'))
      transaction.Version1.approvals = by.map((index) => signers[index]?.approve(hash))
      await putTransaction(devnet.call, transaction)
      devnet.produceBlock()
      return (await getExecution(devnet.call, hash)).errorMessage
    },
    async read(recovery) {
      const { hash } = await getStateRootHash(rpcOf(devnet.call, { chainName }))
      const found = await getAccountAt(rpcOf(devnet.call, { chainName }), account.accountHash, hash)
      if (found === null) throw new Error('the chain does not know the account')
      return committeeOfAccount(found, recovery)
    },
    wait(ms) {
      time += ms
      devnet.produceBlock()
    },
  }
}

function hashOf(members: readonly DevnetAccount[], index: number): string {
  const member = members[index]
  if (member === undefined) throw new Error(`the chain has no account ${index}`)
  return member.accountHash
}
