import type { Client } from 'wattfeed'
import { FeedNotRegisteredError } from '../../feeds/file/feedConfig.ts'
import { openClient } from '../open.ts'
import type { JsonOption, Program } from '../program.ts'
import { readsOnly, runFeeds } from './runFeeds.ts'

const help = `
Shows who may attest to a feed: the account that registered it.

Example:
  $ bun run feeds claimant EIA.PET.PRICE.WTI.DAILY`

export function addClaimant(program: Program): void {
  program
    .add('claimant', 'show who may attest to a feed', help)
    .argument('<id>', 'a feed on chain')
    .action((id: string, options: JsonOption) =>
      runFeeds(program, 'claimant', options, readsOnly, async (settings) => {
        const found = await readClaimant(openClient(settings), id)
        return {
          report: { command: 'claimant', chain_name: settings.casperChainName, ...found },
          text: found.claimant,
        }
      }),
    )
}

export interface Claimant {
  feed_id: string
  /** `account-hash-…` or `hash-…` */
  claimant: string
}

export async function readClaimant(client: Client, feedId: string): Promise<Claimant> {
  const claimant = await client.getClaimant(feedId)
  if (claimant === null) throw new FeedNotRegisteredError({ feedId })
  return { feed_id: feedId, claimant }
}
