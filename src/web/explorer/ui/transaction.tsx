import { useEffect, useState } from 'preact/hooks'
import type { TransactionBody } from '../../../api/schemas.ts'
import { shapeOf } from '../../../api/shape.ts' with { type: 'macro' }
import { type AnswerError, faultOf, fetchAnswer } from '../data/answers.ts'
import { blockExplorerHref } from '../format/blockExplorerHref.ts'
import { CopyableKey } from './copyable.tsx'
import { Text } from './text.tsx'

const shape = shapeOf('transactionBody')

export interface TransactionProps {
  feedId: string
  index: number
  /** The attester of the value: `account-hash-…` or `hash-…`. Without it, no block explorer is named. */
  attester?: string
  /** Undefined until it is loaded. */
  chainName: string | undefined
  /** Whether the search needs no click. @default false */
  searchesAtOnce?: boolean
}

/** The transaction of a value and its signers, which the server looks for. */
export function Transaction(props: TransactionProps) {
  // Another value has another transaction.
  return <Search key={`${props.feedId} ${props.index}`} {...props} />
}

function Search({ feedId, index, attester, chainName, searchesAtOnce = false }: TransactionProps) {
  const [isSearching, setSearching] = useState(searchesAtOnce)
  const [found, setFound] = useState<TransactionBody | null>(null)
  const [fault, setFault] = useState<AnswerError | null>(null)
  const search = async (): Promise<void> => {
    setSearching(true)
    try {
      const path = `/v1/feeds/${encodeURIComponent(feedId)}/history/${index}/transaction`
      setFound((await fetchAnswer(path, shape)).body)
    } catch (error) {
      setFault(faultOf(error))
    } finally {
      setSearching(false)
    }
  }
  useEffect(() => {
    if (searchesAtOnce) void search()
  }, [])
  if (found !== null) return <Found transaction={found} />
  return (
    <>
      <button type="button" onClick={search} disabled={isSearching}>
        {isSearching ? 'Searching…' : 'Find it'}
      </button>{' '}
      <span class={`hint${fault === null ? '' : ' is-fault'}`} role="status">
        {fault === null ? (
          'The server searches for the block of that time.'
        ) : (
          <Text text={`Not found: ${fault.reason}.`} />
        )}
      </span>
      <AttesterLink href={attester === undefined ? null : blockExplorerHref(chainName, attester)} />
    </>
  )
}

function AttesterLink({ href }: { href: string | null }) {
  if (href === null) return null
  return (
    <span class="hint">
      {' '}
      <a href={href} rel="noreferrer">
        {new URL(href).host}
      </a>{' '}
      lists the attester’s transactions.
    </span>
  )
}

function Found({ transaction: { transaction_hash, block, signers } }: { transaction: TransactionBody }) {
  // Nodes do not count the signature of another account's key. Null if nobody keeps the weights of that time.
  const counted = signers.filter(({ weight }) => weight !== 0)
  const isWeighed = signers.every(({ weight }) => weight !== null)
  return (
    <>
      <CopyableKey text={transaction_hash} label="the transaction" />
      <span class="hint">
        Block {block.height.toLocaleString('en')}, signed by{' '}
        {counted.length === 1 ? 'one key' : `${counted.length} keys`}:
      </span>
      {counted.map(({ public_key }) => (
        <CopyableKey key={public_key} text={public_key} label="the signer" />
      ))}
      {!isWeighed && (
        <span class="hint">The nodes no longer keep the weights of these keys in that block.</span>
      )}
    </>
  )
}
