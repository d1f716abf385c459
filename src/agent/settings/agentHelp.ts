import { verificationHelp } from '../../runtime/verificationSettings.ts'

/** Settings and exit codes, for people who ask for help at a terminal. */
export const agentHelp = `
Settings, from the environment:
  EIA_API_KEY                        key for EIA's API, free at https://www.eia.gov/opendata/register.php
  EIA_BASE_URL                       where the API is (default https://api.eia.gov)
  EIA_RPS                            requests a second to it (default 4; EIA suspends keys that send 5)
  FEEDS_FILE                         feeds to attest (default: the flagship feeds)
  ATTESTER_KEY_PATH                  secret key in PEM, Ed25519 or secp256k1, of the account that attests and pays
  AGENT_STATE_DIR                    folder for what is pending; one agent each (default .wattfeed)
  PAYMENT_MOTES                      what one transaction pays (default 2500000000, a batch 5000000000)
  HOST                               address to listen on for /metrics and /health (default 0.0.0.0)
  AGENT_PORT                         port to listen on; 0 takes a free one (default 4031)
  CASPER_RPC_URL                     JSON-RPC URL of a node, or several, comma-separated
  CASPER_CHAIN_NAME                  name of the chain
  FEED_REGISTRY_PACKAGE_HASH         64 hex digits, with or without "hash-"
  ATTESTATION_REGISTRY_PACKAGE_HASH  64 hex digits, with or without "hash-"
  RPC_TIMEOUT_MS                     for one attempt to call a node (default 4000)
  RPC_RETRY_AFTER_MAX_MS             the most that a node is left alone for where it asks (default 30000)
  RPC_CONCURRENCY                    calls to nodes at once (default 128)
${verificationHelp}
  LOG_LEVEL                          trace, debug, info, warn, error, fatal or silent (default info)

EIA_API_KEY, ATTESTER_KEY_PATH, node, chain and the two registries have no default: whoever pays says where. With
--dry-run only EIA_API_KEY is needed; the rest is the public test network, and without a key nobody looks at who may
attest and at the balance.

Standard output holds one line for each feed with --json, else a table for each cycle. The log goes to standard error,
a JSON object a line.

Exit codes:
  0  every feed was decided; without --once: stopped by a signal
  1  nothing could run: a setting, a file, the key, the port, or another agent on the same AGENT_STATE_DIR
  2  some feeds failed

Examples:
  $ EIA_API_KEY=… bun run agent --once --dry-run
  $ bun run agent --once --json --feed EIA.PET.PRICE.WTI.DAILY | jq .decision
  $ bun run agent --interval daily=30m --interval annual=7d`
