import { useState } from 'preact/hooks'
import { proofUrl } from '../../../cite/addresses.ts'
import type { HistoryItem } from '../../data/feedHistory.ts'
import type { FeedReading } from '../../data/readings.ts'
import { VerifyCommand } from '../../proof/verifyCommand.tsx'
import { CopyableKey } from '../../ui/copyable.tsx'
import { Fact } from '../../ui/fact.tsx'
import { Code } from '../../ui/text.tsx'
import { Age, Moment } from '../../ui/time.tsx'
import { Transaction } from '../../ui/transaction.tsx'
import { Value } from '../../ui/value.tsx'
import { PrintCheck } from './printCheck.tsx'
import { changeWords } from './printWords.ts'

export interface PrintProps {
  feed: FeedReading
  item: HistoryItem
  /** 'Revision 2' */
  kind: string
  /** The print before it, if there is one. */
  before: HistoryItem | undefined
  /** How many the values of the period show. */
  shownDecimals: number
  /** Undefined until it is loaded. */
  chainName: string | undefined
}

/** A print: one attestation of a period, the first one or a revision. Its details are shown on a click. */
export function Print({ feed, item, kind, before, shownDecimals, chainName }: PrintProps) {
  // Once opened they stay, so that what was found is not searched again.
  const [wasOpened, setOpened] = useState(false)
  return (
    <li class="print">
      <div class="print-line">
        <span class="print-kind">{kind}</span>
        <span class="print-value">
          <Value of={{ ...feed, amount: item.amount }} shownDecimals={shownDecimals} />
        </span>
        <span class="print-change">{before !== undefined && changeWords(before, item, feed)}</span>
        <span class="print-time">
          <Moment ms={item.attested_at} /> <Age ms={item.attested_at} />
        </span>
      </div>
      <details onToggle={() => setOpened(true)}>
        <summary>
          Who signed it, and how to verify it
          <span class="visually-hidden">: {kind}</span>
        </summary>
        {wasOpened && <Details feed={feed} item={item} chainName={chainName} />}
      </details>
    </li>
  )
}

function Details({ feed, item, chainName }: Pick<PrintProps, 'feed' | 'item' | 'chainName'>) {
  const { feed_id } = feed
  const { index, attester, source_hash } = item
  return (
    <>
      <dl class="pairs">
        <Fact name="Value number">{(index + 1).toLocaleString('en')}</Fact>
        <Fact name="Attester">
          <CopyableKey text={attester} label="the attester" />
        </Fact>
        <Fact name="Source hash">
          <Code text={source_hash} />
        </Fact>
        <Fact name="Transaction">
          <Transaction
            feedId={feed_id}
            index={index}
            attester={attester}
            chainName={chainName}
            searchesAtOnce
          />
        </Fact>
      </dl>
      <PrintCheck feed={feed} item={item} />
      <VerifyCommand url={proofUrl(location.origin, feed_id, index)} />
    </>
  )
}
