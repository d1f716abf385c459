import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { readClaimant } from '../readClaimant.ts'
import { exitCodes } from './exitCodes.ts'
import { openClient } from './openClient.ts'
import type { Outcome } from './outcome.ts'

/** `feeds claimant <id>` */
export async function claimant(settings: AgentSettings, feedId: string): Promise<Outcome> {
  const found = await readClaimant(openClient(settings), feedId)
  return {
    report: { command: 'claimant', chain_name: settings.chainName, ...found },
    text: found.claimant,
    exitCode: exitCodes.done,
  }
}
