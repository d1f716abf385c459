import type { AgentSettings } from '../../../agent/settings/agentSettings.ts'
import { formatHistory } from '../formatHistory.ts'
import { readHistory } from '../readHistory.ts'
import { exitCodes } from './exitCodes.ts'
import { openClient } from './openClient.ts'
import type { Outcome } from './outcome.ts'

/** `feeds history <id>` */
export async function history(settings: AgentSettings, feedId: string, last: number): Promise<Outcome> {
  const found = await readHistory(openClient(settings), feedId, last)
  return {
    report: { command: 'history', chain_name: settings.chainName, ...found },
    text: formatHistory(found),
    exitCode: exitCodes.done,
  }
}
