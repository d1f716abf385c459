import { readFileSync } from 'node:fs'
import { type SchemaOptions, Type } from '@sinclair/typebox'
import { systemReason, urlSecrets } from '@wattfeed/base'
import { MAX_TIMER_MS } from '../library/client/argument.ts'
import { POSITION_RULE, parsePosition } from '../library/live/position.ts'
import { type LogLevel, logSettings } from '../runtime/log.ts'
import {
  type Environment,
  notSet,
  parseSettings,
  SettingsError,
  type SettingValues,
} from '../runtime/settings/settings.ts'
import { httpUrl, path, textOf } from '../runtime/settings/textTypes.ts'

/** The URL of a target. Errors never show any part of it. */
const targetUrl = (options: SchemaOptions) =>
  textOf(
    'a URL that starts with https:// (http:// only to this machine), or nats:// or tls:// for NATS',
    (text): URL | undefined => {
      if (!URL.canParse(text)) return undefined
      const url = new URL(text)
      if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
      return isNats(url) && url.hostname !== '' && /^\/?$/.test(url.pathname) && url.search === ''
        ? url
        : undefined
    },
    options,
  )

const isLoopback = (hostname: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)

/** Whether a target is a NATS server. */
export const isNats = ({ protocol }: URL): boolean => protocol === 'nats:' || protocol === 'tls:'

/** A position of the stream, as text. */
export const positionText = textOf(POSITION_RULE, (text) => (parsePosition(text) === null ? undefined : text))

/** The secret of webhooks, by the rules of Standard Webhooks. */
const webhookSecret = (options: SchemaOptions) =>
  textOf(
    'whsec_ followed by 24 to 64 bytes in Base64',
    (text) => {
      const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? ''
      const bytes = Buffer.from(base64, 'base64')
      return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === base64
        ? text
        : undefined
    },
    options,
  )

export const forwardSettings = Type.Object({
  FORWARD_FROM: Type.Optional(
    httpUrl({
      description:
        'the server, instead of --from; for a URL with a password, because others can see arguments',
    }),
  ),
  FORWARD_TO: Type.Optional(
    targetUrl({
      description: 'the target, instead of --to; for a secret URL, because others can see arguments',
      isSecret: true,
    }),
  ),
  FORWARD_SECRET: Type.Optional(
    webhookSecret({
      description: 'signs webhooks; the receiver needs it too',
      needed: {
        when: 'for a webhook',
        why: 'receivers verify the sender with it; create one with: echo "whsec_$(openssl rand -base64 32)"',
      },
      isSecret: true,
    }),
  ),
  NATS_CREDS: Type.Optional(path({ description: "file of a NATS user's credentials (.creds)" })),
  FORWARD_STATE_DIR: path({
    description: 'folder for the position, the dead letters and the lock; one forwarder per folder',
    default: '.wattfeed/forward',
  }),
  FORWARD_ATTEMPTS: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    default: 12,
    description: 'attempts per webhook before it becomes a dead letter; 12 take about 20 minutes',
  }),
  FORWARD_TIMEOUT_MS: Type.Integer({
    minimum: 1,
    maximum: MAX_TIMER_MS,
    default: 15_000,
    description: 'time limit for an answer of the target',
  }),
  ...logSettings,
})

const { FORWARD_FROM, FORWARD_TO, ...otherSettings } = forwardSettings.properties

/** The settings, and the options that can also be settings. */
const given = Type.Object({
  FORWARD_FROM,
  '--from': FORWARD_FROM,
  FORWARD_TO,
  '--to': FORWARD_TO,
  ...otherSettings,
})

/** The options that are checked together with the settings. */
export interface ForwardEnds {
  from?: string | undefined
  to?: string | undefined
  /** Whether dead letters are sent again, which needs no server. */
  replay?: boolean | undefined
}

export interface ForwardSettings {
  /** Null to send dead letters again. */
  from: string | null
  to: URL
  /** Empty for NATS. */
  secret: string
  natsCreds: Uint8Array | null
  stateDir: string
  attempts: number
  timeoutMs: number
  logLevel: LogLevel
}

/**
 * Reads the settings, and the options that can also be settings. An option takes precedence.
 *
 * @throws {SettingsError} with every fault.
 */
export function readForwardSettings(environment: Environment, options: ForwardEnds): ForwardSettings {
  const isReplay = options.replay === true
  const texts = {
    ...environment,
    FORWARD_FROM: isReplay || options.from !== undefined ? '' : environment.FORWARD_FROM,
    '--from': options.from,
    FORWARD_TO: options.to === undefined ? environment.FORWARD_TO : '',
    '--to': options.to,
  }
  const settings = parseSettings(given, texts, { conflicts: (values) => listMissing(values, isReplay) })
  const to = settings['--to'] ?? settings.FORWARD_TO
  if (to === null) throw new TypeError('FORWARD_TO is not set')
  return {
    from: isReplay ? null : (settings['--from'] ?? settings.FORWARD_FROM),
    to,
    secret: settings.FORWARD_SECRET ?? '',
    natsCreds: readCreds(settings.NATS_CREDS),
    stateDir: settings.FORWARD_STATE_DIR,
    attempts: settings.FORWARD_ATTEMPTS,
    timeoutMs: settings.FORWARD_TIMEOUT_MS,
    logLevel: settings.LOG_LEVEL,
  }
}

/** Lists the missing ends. A malformed value is undefined, and already listed as a fault. */
function listMissing(values: Partial<SettingValues<typeof given.properties>>, isReplay: boolean): string[] {
  const to = values['--to'] === null ? values.FORWARD_TO : values['--to']
  const faults: string[] = []
  if (to && !isNats(to) && values.FORWARD_SECRET === null)
    faults.push(notSet('FORWARD_SECRET', forwardSettings.properties.FORWARD_SECRET))
  if (!isReplay && values['--from'] === null && values.FORWARD_FROM === null)
    faults.push('--from is missing: name the server, or set FORWARD_FROM')
  if (to === null) faults.push('--to is missing: name the target, or set FORWARD_TO')
  return faults
}

function readCreds(file: string | null): Uint8Array | null {
  try {
    return file === null ? null : readFileSync(file)
  } catch (error) {
    throw new SettingsError({
      faults: [
        `NATS_CREDS is ${JSON.stringify(file)}: it cannot be read (${systemReason(error)}); name a file that this user can read`,
      ],
    })
  }
}

/** Returns all secrets in the settings. */
export const forwardSecrets = ({ from, to, secret }: ForwardSettings): string[] => [
  ...(from === null ? [] : urlSecrets(from)),
  ...urlSecrets(to.href),
  ...(to.pathname === '/' ? [] : [to.pathname]),
  secret,
  secret.replace('whsec_', ''),
]
