import type { AnswerRpc } from '@wattfeed/casper-devnet'
import { localFetch } from '@wattfeed/casper-devnet/testing/localNode'
import { patience } from '@wattfeed/testing/patience'
import { connectToBlocks, type View } from '../../../src/agent/look/view.ts'
import type { SettledBlock } from '../../../src/agent/state/settledBlocks.ts'
import type { AttestChain } from './attestChain.ts'

/** Views of a chain in this process, as the agent opens them. */
export function viewsOf(
  chain: Pick<AttestChain, 'chainName' | 'feedRegistryPackageHash' | 'attestationRegistryPackageHash'>,
  answer: AnswerRpc,
  readSettled: () => ReadonlyMap<string, SettledBlock> = () => new Map(),
): () => Promise<View> {
  const { chainName, feedRegistryPackageHash, attestationRegistryPackageHash } = chain
  const { openView } = connectToBlocks({
    chainName,
    feedRegistryPackageHash,
    attestationRegistryPackageHash,
    rpcUrls: ['http://node.test/rpc'],
    fetch: localFetch(answer),
    ...patience,
  })
  return () => openView(readSettled)
}
