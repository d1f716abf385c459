import type { Signer } from '../../../src/casper/transaction/signer.ts'
import type { SignedTransaction } from '../../../src/casper/transaction/signTransaction.ts'
import { member } from '../../../src/demo/recordedNode.ts'
import type { AnswerRpc } from '../../../src/devnet/rpcAnswer.ts'
import type { ClaimSettings } from '../../../src/operator/eligibility/submitClaim.ts'
import {
  type ContractChain,
  type ContractChainOptions,
  createContractChain,
} from '../../agent/support/contractChain.ts'
import { testSigner } from '../../agent/support/keys.ts'
import { rpcOf } from '../../agent/support/rpc.ts'
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
  settings: ClaimSettings
  /** What is kept of a transaction that may be on its way. */
  kept(): SignedTransaction | null
  setRoots(...roots: bigint[]): void
  /** Sets an item of the mapping with this number. */
  setFlag(field: number, keyHex: string): void
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
  let kept: SignedTransaction | null = null
  let runs = 0
  const answer: AnswerRpc = (method, params) => {
    const id = member(member(params, 'dictionary_identifier'), 'URef')
    if (method === 'state_get_dictionary_item' && flags.has(String(member(id, 'dictionary_item_key'))))
      return { result: { stored_value: { CLValue: { cl_type: { List: 'U8' }, bytes: list('01') } } } }
    return chain.answer(method, params)
  }
  return {
    chain,
    answer,
    signer,
    packageHash: gate.packageHash,
    settings: {
      rpc: rpcOf(answer),
      signer,
      chainName: 'casper-net-1',
      pollMs: 1,
      wait: async () => {},
      now: () => START + runs++,
      pending: {
        read: async () => kept,
        write: async (signed) => {
          kept = signed
        },
        clear: async () => {
          kept = null
        },
      },
    },
    kept: () => kept,
    setRoots: (...roots) => gate.fields.set(2, u32(roots.length) + roots.map(u512).join('')),
    setFlag: (field, keyHex) => flags.add(odraItemKey(field, keyHex)),
  }
}
