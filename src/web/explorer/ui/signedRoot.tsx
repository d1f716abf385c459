import { useState } from 'preact/hooks'
import { useServerIndex } from '../data/serverIndex.ts'
import { Transaction } from './transaction.tsx'

interface SignedRootProps {
  feedId: string
  /** Which value of the feed the root is, from 0. */
  index: number
  /** The attester of the root, whose transactions a block explorer lists. */
  attester?: string
}

/** Who signed the transaction that attested a root. The server looks for it once this is opened. */
export function SignedRoot(props: SignedRootProps) {
  // Once opened they stay, so that what was found is not searched again.
  const [wasOpened, setOpened] = useState(false)
  return (
    <details class="signed-root" onToggle={() => setOpened(true)}>
      <summary>Who signed it</summary>
      {wasOpened && <RootSigners {...props} />}
    </details>
  )
}

/** The transaction of a root and its signers, searched at once. */
export function RootSigners(props: SignedRootProps) {
  const chainName = useServerIndex()?.registries.chain_name
  return (
    <span class="root-signers">
      <Transaction {...props} chainName={chainName} searchesAtOnce />
    </span>
  )
}
