import { citedNetwork, quotedVerifyCommand } from '../../cite/verifyCommand.ts'
import { Copyable } from '../ui/copyable.tsx'
import { useServedNetwork } from './servedNetwork.ts'
import { rememberedTrust } from './trust.ts'

const PLACEHOLDER = 'TRUSTED_BLOCK_HASH'

/** The command that verifies a proof without this page. */
export function VerifyCommand({ url }: { url: string }) {
  const served = useServedNetwork()
  const trust = rememberedTrust.value
  return (
    <>
      <p class="hint">
        {trust === null
          ? `Without this page: replace ${PLACEHOLDER} with the hash of a block that you trust. The chain and its registries are this server’s claim.`
          : 'Without this page, from the block that you trust:'}
      </p>
      <Copyable
        text={quotedVerifyCommand(url, citedNetwork(trust ?? served), trust?.blockHash ?? PLACEHOLDER)}
        label="the verify command"
      />
    </>
  )
}
