import { readFileSync } from 'node:fs'
import { urlSecrets } from '../bytes/redact.ts'
import { MAX_TIMER_MS } from '../client/argument.ts'
import { logLevelSetting } from '../runtime/log.ts'
import { httpUrl, integer, parser, path } from '../runtime/parsers.ts'
import {
  createSettingsReader,
  type Environment,
  type Setting,
  SettingsError,
  type Values,
} from '../runtime/settings.ts'
import { systemReason } from '../runtime/systemReason.ts'

/** Parses the URL of a target, without a word of it in any error. */
const targetUrl = parser(
  'a URL that begins with https:// (http:// only to this machine), or nats:// or tls:// for NATS',
  (text): URL | undefined => {
    if (!URL.canParse(text)) return undefined
    const url = new URL(text)
    if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
    return isNats(url) && url.hostname !== '' && /^\/?$/.test(url.pathname) && url.search === ''
      ? url
      : undefined
  },
)

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Whether a target is a NATS server. */
export const isNats = ({ protocol }: URL): boolean => protocol === 'nats:' || protocol === 'tls:'

/** Parses the secret of webhooks, by the rules of Standard Webhooks. */
const webhookSecret = parser('whsec_ and the Base64 of 24 to 64 bytes', (text) => {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? ''
  const bytes = Buffer.from(base64, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64 ? text : undefined
})

const ends = {
  from: {
    name: 'FORWARD_FROM',
    meaning: 'the server, instead of --from; for a URL with a password, as others see arguments',
    parse: httpUrl,
    default: null,
    isSecret: true,
  },
  to: {
    name: 'FORWARD_TO',
    meaning: 'the target, instead of --to; for a URL that is a secret, as others see arguments',
    parse: targetUrl,
    default: null,
    isSecret: true,
  },
} as const

const otherSettings = {
  secret: {
    name: 'FORWARD_SECRET',
    meaning: 'signs webhooks; the receiver has it, too',
    parse: webhookSecret,
    default: null,
    needed: {
      when: 'for a webhook',
      why: 'receivers check by it who sends; make one with: echo "whsec_$(openssl rand -base64 32)"',
    },
    isSecret: true,
  },
  natsCreds: {
    name: 'NATS_CREDS',
    meaning: "file of a NATS user's credentials (.creds)",
    parse: path,
    default: null,
  },
  stateDir: {
    name: 'FORWARD_STATE_DIR',
    meaning: 'folder for the position, the dead letters and the lock; one forwarder each',
    parse: path,
    default: '.wattfeed/forward',
  },
  attempts: {
    name: 'FORWARD_ATTEMPTS',
    meaning: 'how often a webhook is tried before it becomes a dead letter; 12 take some 20 minutes',
    parse: integer(1, 1_000),
    default: 12,
  },
  timeoutMs: {
    name: 'FORWARD_TIMEOUT_MS',
    meaning: 'for the target to answer',
    parse: integer(1, MAX_TIMER_MS),
    default: 15_000,
  },
  logLevel: logLevelSetting,
} as const

/** The settings of `wattfeed forward`. */
export const forwardSettings = { ...ends, ...otherSettings } as const

/** The checked settings. */
export interface ForwardSettings extends Omit<Values<typeof otherSettings>, 'natsCreds'> {
  /** Null to send dead letters again. */
  from: string | null
  to: URL
  /** Empty for NATS. */
  secret: string
  /** What the file holds. */
  natsCreds: Uint8Array | null
}

/** The ends as options, which take precedence. */
const endOptions = {
  fromOption: { ...ends.from, name: '--from' },
  toOption: { ...ends.to, name: '--to' },
} as const

/** The options that are read with the settings. */
export interface ForwardEnds {
  from?: string | undefined
  to?: string | undefined
  /** Whether dead letters are sent again, which needs no server. */
  replay?: boolean | undefined
}

/**
 * Reads settings, and the options that may be settings, too.
 *
 * @throws {SettingsError} with every fault.
 */
export function readForwardSettings(environment: Environment, options: ForwardEnds): ForwardSettings {
  const given = { ...environment, '--from': options.from, '--to': options.to }
  const reader = createSettingsReader(given, { ...forwardSettings, ...endOptions })
  const { fromOption, toOption } = endOptions
  const from = options.replay ? null : reader.read(options.from === undefined ? ends.from : fromOption)
  const to = reader.read(options.to === undefined ? ends.to : toOption)
  const others = reader.readAll(otherSettings)
  // Malformed is a fault already.
  const hasSecret = (environment[otherSettings.secret.name]?.trim() ?? '') !== ''
  if (to !== null && !isNats(to) && !hasSecret) reader.read(otherSettings.secret, true)
  const missing = (option: string, { name }: Setting<unknown>, what: string): void =>
    reader.conflict([option, name], `${option} is missing: name ${what}, or set ${name}`)
  if (from === null && !options.replay) missing('--from', ends.from, 'the server')
  if (to === null) missing('--to', ends.to, 'the target')
  reader.end()
  if (to === null) throw new TypeError('a missing target is a fault')
  return { ...others, from, to, secret: others.secret ?? '', natsCreds: readCreds(others.natsCreds) }
}

function readCreds(file: string | null): Uint8Array | null {
  try {
    return file === null ? null : readFileSync(file)
  } catch (error) {
    throw new SettingsError([
      `NATS_CREDS is ${JSON.stringify(file)}: it cannot be read (${systemReason(error)}); name a file that this user can read`,
    ])
  }
}

/** Returns everything in the settings that must never be shown. */
export const forwardSecrets = ({ from, to, secret }: ForwardSettings): string[] => [
  ...(from === null ? [] : urlSecrets(from)),
  ...urlSecrets(to.href),
  ...(to.pathname === '/' ? [] : [to.pathname]),
  secret,
  secret.replace('whsec_', ''),
]
