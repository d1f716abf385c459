import type { Signer } from '../../../src/casper/transaction/signer.ts'
import { member } from '../../../src/demo/recordedNode.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import type { ClaimPurpose, ClaimSettings } from '../../../src/operator/eligibility/submitClaim.ts'
import type { OwnerPurpose, OwnerSettings } from '../../../src/operator/eligibility/submitOwnerCall.ts'
import {
  type ContractChain,
  type ContractChainOptions,
  createContractChain,
} from '../../agent/support/contractChain.ts'
import { testSigner } from '../../agent/support/keys.ts'
import { rpcOf } from '../../agent/support/rpc.ts'
import { createMemoryStore, type MemoryStore } from '../../casper/transaction/memoryStore.ts'
import { list, odraItemKey, u32, u512 } from '../../support/bytesrepr.ts'

const START = 1_800_000_000_000

/** A chain with a gate, and an account that claims there or owns it. */
export interface GateChain {
  chain: ContractChain
  /** What the chain answers, with the flags that were set. */
  answer: AnswerRpc
  signer: Signer
  /** 64 hex digits. */
  packageHash: string
  /** What claiming works with. */
  settings: ClaimSettings & { store: MemoryStore<ClaimPurpose> }
  /** What the owner's calls work with. */
  owner: OwnerSettings & { store: MemoryStore<OwnerPurpose> }
  setRoots(...roots: bigint[]): void
  /** Sets an item of the mapping with this number. */
  setFlag(field: number, keyHex: string): void
  clearFlag(field: number, keyHex: string): void
}

export async function createGateChain(options: Partial<ContractChainOptions> = {}): Promise<GateChain> {
  const signer = await testSigner()
  const chain = createContractChain({
    publicKey: signer.publicKey,
    account: signer.accountHash,
    time: () => START,
    ...options,
  })
  const gate = chain.preinstall('EligibilityGate')
  const flags = new Set<string>()
  let runs = 0
  const answer: AnswerRpc = (method, params) => {
    const id = member(member(params, 'dictionary_identifier'), 'URef')
    if (method === 'state_get_dictionary_item' && flags.has(String(member(id, 'dictionary_item_key'))))
      return { result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes: list('01') } } } }
    return chain.answer(method, params)
  }
  const settings = {
    rpc: rpcOf(answer),
    signer,
    chainName: 'casper-net-1',
    pollMs: 1,
    wait: async () => {},
    now: () => START + runs++,
  }
  return {
    chain,
    answer,
    signer,
    packageHash: gate.packageHash,
    settings: { ...settings, store: createMemoryStore() },
    owner: { ...settings, gatePackageHash: gate.packageHash, store: createMemoryStore() },
    setRoots: (...roots) => gate.fields.set(2, u32(roots.length) + roots.map(u512).join('')),
    setFlag: (field, keyHex) => void flags.add(odraItemKey(field, keyHex)),
    clearFlag: (field, keyHex) => void flags.delete(odraItemKey(field, keyHex)),
  }
}
