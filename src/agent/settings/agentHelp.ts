import { formatSettings } from '../../runtime/formatSettings.ts'
import { agentSettings } from './agentSettings.ts'

/** Settings, exit codes and examples of `--help`. */
export const agentHelp = `
Settings, from the environment:
${formatSettings(agentSettings)}

EIA_API_KEY, ATTESTER_KEY_PATH, node, chain and the two registries have no default, because the agent pays. With
--dry-run only EIA_API_KEY is needed; the rest is the public test network, and without a key neither claimants nor the
balance are checked.

Standard output holds one line for each feed with --json, else a table for each cycle. The log goes to standard error,
a JSON object a line.

Exit codes:
  0  every feed was decided; without --once: stopped by a signal
  1  nothing could run: a setting, a file, the key, the port, or another agent on the same AGENT_STATE_DIR
  2  some feeds failed, or with --once were not done when a signal stopped it

SIGTERM and SIGINT stop it within ten seconds, a second one at once; what is on its way is followed by the next run.
SIGHUP reads FEEDS_FILE again, which a running agent also does by itself when the file changes.

Examples:
  $ EIA_API_KEY=… bun run agent --once --dry-run
  $ bun run agent --once --json --feed EIA.PET.PRICE.WTI.DAILY | jq .decision
  $ bun run agent --interval daily=30m --interval annual=7d`
