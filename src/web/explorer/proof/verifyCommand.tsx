import { shellQuoted } from '../../cite/shell.ts'
import { citedNetwork, trustParams } from '../../cite/verifyCommand.ts'
import { Copyable } from '../ui/copyable.tsx'
import { useServedNetwork } from './servedNetwork.ts'
import { rememberedTrust } from './trust.ts'

const PLACEHOLDER = 'TRUSTED_BLOCK_HASH'

/**
 * The command that verifies a proof without this page. Unlike that of a citation, it always names the network and can be pasted: its
 * words are quoted, because a stranger's server may have any name of a chain.
 */
export function VerifyCommand({ url }: { url: string }) {
  const served = useServedNetwork()
  const trust = rememberedTrust.value
  const named = trust ?? served
  const params = trustParams(named.blockHash === '' ? PLACEHOLDER : named.blockHash, citedNetwork(named))
  const flags = [...params].map(([name, value]) => `--${name} ${shellQuoted(value)}`)
  return (
    <>
      <p class="hint">
        {trust === null
          ? `Without this page: replace ${PLACEHOLDER} with the hash of a block that you trust. The chain and its registries are this server’s claim.`
          : 'Without this page, from the block that you trust:'}
      </p>
      <Copyable
        text={[`wattfeed verify ${shellQuoted(url)}`, ...flags].join(' \\\n  ')}
        label="the verify command"
      />
    </>
  )
}
