import { formatSettings } from '../../runtime/settings/formatSettings.ts'
import { agentSettings } from './agentSettings.ts'

/** Settings, exit codes and examples of `--help`. */
export const agentHelp = `
Settings, from the environment:
${formatSettings(agentSettings)}

EIA_API_KEY, ATTESTER_KEY_PATH, node, chain and the two registries have no default, because the agent pays. With
--dry-run only EIA_API_KEY is needed. The other settings default to the public test network. Without a key, claimants
and balance are not checked.

With --json, standard output has one JSON object per line for each feed. Otherwise it has a table for each cycle. The
log goes to standard error: lines of text on a terminal, else one JSON object per line.

Exit codes:
  0  every feed was decided; without --once: stopped by a signal
  1  nothing could run: a setting, a file, the key, the port, or another agent on the same AGENT_STATE_DIR
  2  some feeds failed, or with --once were not done when a signal stopped it

SIGTERM and SIGINT stop the agent within ten seconds, a second signal at once. The next run resumes transactions in
flight. SIGHUP reloads FEEDS_FILE, which a running agent also does when the file changes.

Examples:
  $ EIA_API_KEY=… bun run agent --once --dry-run
  $ bun run agent --once --json --feed EIA.PET.PRICE.WTI.DAILY | jq .decision
  $ bun run agent --interval daily=30m --interval annual=7d`
