import { verificationHelp } from '../runtime/verificationSettings.ts'

/** The settings, for people who ask for help at a terminal. */
export const settingsHelp = `
Settings, all optional, from the environment:
  PORT                               where to listen; 0 takes a free port (default 4030)
  HOST                               address to listen on (default 0.0.0.0)
  CASPER_RPC_URL                     JSON-RPC URL of a node, or several, comma-separated
  CASPER_CHAIN_NAME                  name of the chain (default casper-test)
  FEED_REGISTRY_PACKAGE_HASH         64 hex digits, with or without "hash-"
  ATTESTATION_REGISTRY_PACKAGE_HASH  64 hex digits, with or without "hash-"
  RPC_TIMEOUT_MS                     for one attempt to call a node (default 4000)
  REQUEST_DEADLINE_MS                for one request with all its attempts (default 10000)
  RPC_RETRY_AFTER_MAX_MS             the most that a node is left alone for where it asks (default 30000)
  RPC_CONCURRENCY                    calls to nodes at once (default 128)
  MAX_STALENESS_MS                   how old a state root may be without asking again (default 0)
${verificationHelp}
  LOG_LEVEL                          trace, debug, info, warn, error, fatal or silent (default info)

The defaults read the public test network. The log goes to standard error, a JSON object a line.`
