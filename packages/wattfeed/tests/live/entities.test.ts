import { expect, test } from 'bun:test'
import { verifyLevels } from '../../src/client/verification.ts'
import type { LiveItem } from '../../src/live/items.ts'
import { watch } from '../../src/live/watch.ts'
import { createEntityChain } from '../support/entityChain.ts'
import { localClient } from '../support/localClient.ts'

const WTI = 'EIA.PET.PRICE.WTI.DAILY'
const BRENT = 'EIA.PET.PRICE.BRENT.DAILY'

test.each(verifyLevels)(
  'default: at %s, the stream goes on while contracts and account become addressable entities',
  async (verify) => {
    const chain = createEntityChain(['before', 'switched', 'called', 'five keys', 'installed'])
    const full = verify === 'full' ? { trustedBlockHash: chain.genesisHash } : {}
    const { client } = localClient(chain, { verify, ...full })
    const items = watch(client, { pollMs: 1 })
    const start = await items.next()
    expect(start.value).toMatchObject({ event: 'position', position: expect.stringContaining('.f1.a1') })
    const read: (string | bigint | null)[][] = []
    for (const events of [0, 3, 1, 1]) {
      chain.advance()
      for (let count = 0; count < events; count++) read.push(summaryOf((await items.next()).value))
    }
    expect(read).toEqual([
      ['feed', BRENT, null],
      ['attested', BRENT, 7410n],
      ['attested', WTI, 7011n],
      ['attested', WTI, 7020n],
      ['attested', WTI, 7030n],
    ])
    await items.return(undefined as never)
  },
)

function summaryOf(item: LiveItem): (string | bigint | null)[] {
  if (item.event === 'position') return [item.event]
  return 'data' in item && 'feed_id' in item.data
    ? [item.event, item.data.feed_id, item.data.amount]
    : [item.event]
}
