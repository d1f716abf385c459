import { proofUrl } from '../../../cite/addresses.ts'
import { citedNetwork, trustParams } from '../../../cite/verifyCommand.ts'
import { shellQuoted } from '../../format/shell.ts'
import { useServedNetwork } from '../../proof/servedNetwork.ts'
import { rememberedTrust } from '../../proof/trust.ts'
import { Copyable } from '../../ui/copyable.tsx'

const PLACEHOLDER = 'TRUSTED_BLOCK_HASH'

/**
 * The command that verifies a print without this page. Unlike that of a citation, it always names the network and can be pasted: its
 * words are quoted, because a stranger's server may have any name of a chain.
 */
export function PrintCommand({ feedId, index }: { feedId: string; index: number }) {
  const served = useServedNetwork()
  const trust = rememberedTrust.value
  const named = trust ?? served
  const params = trustParams(named.blockHash === '' ? PLACEHOLDER : named.blockHash, citedNetwork(named))
  const flags = [...params].map(([name, value]) => `--${name} ${shellQuoted(value)}`)
  const source = shellQuoted(proofUrl(location.origin, feedId, index))
  return (
    <>
      <p class="hint">
        {trust === null
          ? `Without this page: replace ${PLACEHOLDER} with the hash of a block that you trust. The chain and its registries are this server’s claim.`
          : 'Without this page, from the block that you trust:'}
      </p>
      <Copyable text={[`wattfeed verify ${source}`, ...flags].join(' \\\n  ')} label="the verify command" />
    </>
  )
}
