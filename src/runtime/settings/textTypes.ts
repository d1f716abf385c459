import { type SchemaOptions, Type } from '@sinclair/typebox'
import { accountHashPattern, publicKeyPattern } from '@wattfeed/casper/types'
import { parseHttpUrl, parsePackageHash } from 'wattfeed/internal'

/**
 * A text that represents another value, or follows a rule that no pattern expresses.
 *
 * @param rule continues "it must be"
 * @param read returns undefined if the text breaks the rule, or throws an error that says more than the rule
 */
export const textOf = <T>(rule: string, read: (text: string) => T | undefined, options: SchemaOptions = {}) =>
  Type.Transform(Type.String({ ...options, error: rule }))
    .Decode((text): T => {
      const value = read(text)
      if (value === undefined) throw new Error(rule)
      return value
    })
    .Encode(String)

/** A path; any text is one. */
export const path = (options: SchemaOptions) => Type.String({ ...options, error: 'a path' })

/** A text without spaces; `what` names it. */
export const word = (what: string, options: SchemaOptions) =>
  Type.String({ ...options, pattern: '^\\S+$', error: `${what} without spaces` })

/** A chain's name, which is also used in file names. */
export const chainName = (options: SchemaOptions = {}) =>
  Type.String({
    ...options,
    pattern: '^[A-Za-z0-9._-]+$',
    error: 'a chain name: letters, digits, dots and dashes',
  })

export const oneOf = <T extends string>(values: readonly T[], options: SchemaOptions) =>
  Type.Unsafe<T>(
    Type.Union(
      values.map((value) => Type.Literal(value)),
      options,
    ),
  )

export const trueOrFalse = (options: SchemaOptions) =>
  textOf(
    'one of true, false',
    (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
    options,
  )

export const motes = (options: SchemaOptions = {}) =>
  textOf(
    'a whole number of motes (1 CSPR is 1000000000)',
    (text) => (/^[0-9]{1,18}$/.test(text) ? BigInt(text) : undefined),
    options,
  )

const IS_NOT_SHOWN = 'not shown, it may hold a password'
const HTTP_URL = 'a URL that begins with http:// or https://'

/** Options of a URL. A wrong text may be one with a password or a key, so faults never show it. */
const hidden = (options: SchemaOptions): SchemaOptions => ({ ...options, isSecret: true })

/** A URL, unchanged. */
export const httpUrl = (options: SchemaOptions = {}) =>
  textOf(
    HTTP_URL,
    (text): string => {
      if (isHttpUrl(text)) return text
      throw new Error(`${HTTP_URL} (${IS_NOT_SHOWN})`)
    },
    hidden(options),
  )

/** The origin of a site: scheme, host and port, without a path. */
export const origin = (options: SchemaOptions = {}) =>
  textOf(
    'the origin of a site, without a path, such as https://feeds.example.com',
    (text): string | undefined => {
      if (!isHttpUrl(text)) return undefined
      const url = new URL(text)
      return url.href === `${url.origin}/` ? url.origin : undefined
    },
    hidden(options),
  )

const HTTP_URLS = 'one URL or several, comma-separated, that begin with http:// or https://'

/** One URL or several, comma-separated. */
export const httpUrls = (options: SchemaOptions = {}) =>
  textOf(
    HTTP_URLS,
    (text): readonly string[] => {
      const urls = text.split(',').map((url) => url.trim())
      const wrong = urls.findIndex((url) => !isHttpUrl(url))
      if (wrong === -1) return urls
      throw new Error(`${HTTP_URLS} (number ${wrong + 1} of ${urls.length} is not; ${IS_NOT_SHOWN})`)
    },
    hidden(options),
  )

const HOST_VALUES = 'host=token, or several, comma-separated, such as node.example.com=a1b2c3'

/** A secret of each host, by host name and port. */
export const hostSecrets = (options: SchemaOptions = {}) =>
  textOf(
    HOST_VALUES,
    (text): Readonly<Record<string, string>> => {
      const pairs = text.split(',').map((pair) => pair.trim().match(/^([^\s=/@]+)=(.+)$/))
      const wrong = pairs.indexOf(null)
      if (wrong === -1) return Object.fromEntries(pairs.map((pair) => [pair?.[1]?.toLowerCase(), pair?.[2]]))
      throw new Error(`${HOST_VALUES} (number ${wrong + 1} of ${pairs.length} is not; ${IS_NOT_SHOWN})`)
    },
    hidden(options),
  )

const PLACES = 'one folder or URL, or several, comma-separated'

/** Folders and URLs, comma-separated. */
export const places = (options: SchemaOptions = {}) =>
  textOf(
    PLACES,
    (text): readonly string[] => {
      const found = text.split(',').map((each) => each.trim())
      const wrong = found.findIndex((each) => each === '' || (/^https?:/i.test(each) && !isHttpUrl(each)))
      if (wrong === -1) return found
      throw new Error(`${PLACES} (number ${wrong + 1} of ${found.length} is not; ${IS_NOT_SHOWN})`)
    },
    hidden(options),
  )

const HOST_NAMES = 'one host name or several, comma-separated, without ports, such as localhost,[::1]'

/** One host name or several, comma-separated. */
export const hostNames = (options: SchemaOptions = {}) =>
  textOf(
    HOST_NAMES,
    (text): readonly string[] | undefined => {
      const names = text.split(',').map((name) => name.trim().toLowerCase())
      return names.every((name) => /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(name)) ? names : undefined
    },
    options,
  )

function isHttpUrl(text: string): boolean {
  try {
    return parseHttpUrl('', text) === text
  } catch {
    return false
  }
}

export interface HostAndPort {
  /** An address or a host name; an IPv6 address has no brackets. */
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
}

/** An address or a host name, and a port: `127.0.0.1:4032` or `[::1]:4032`. */
export const hostAndPort = (options: SchemaOptions = {}) =>
  textOf(
    'host:port, such as 127.0.0.1:4032 or [::1]:4032',
    (text): HostAndPort | undefined => {
      const [, ipv6, name, digits] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/]+)):([0-9]{1,5})$/i.exec(text) ?? []
      const host = ipv6 ?? name
      const port = Number(digits)
      return host === undefined || port > 65_535 ? undefined : { host, port }
    },
    options,
  )

/** A package hash, with or without `hash-`, as 64 lower-case hex digits. */
export const packageHash = (options: SchemaOptions = {}) =>
  textOf(
    '64 hex digits, with or without "hash-" before them',
    (text) => {
      try {
        return parsePackageHash('', text)
      } catch {
        return undefined
      }
    },
    options,
  )

const lowerCase = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text.toLowerCase() : undefined)

export const account = (options: SchemaOptions = {}) =>
  textOf(
    'account-hash-… or a public key in hex',
    lowerCase(new RegExp(`^(${accountHashPattern}|${publicKeyPattern})$`, 'i')),
    options,
  )

export const publicKey = textOf(
  'a public key in hex: 01… of Ed25519 or 02… of secp256k1',
  lowerCase(new RegExp(`^(${publicKeyPattern})$`, 'i')),
)

/** A block's hash, which has no prefix, as 64 lower-case hex digits. */
export const blockHash = (options: SchemaOptions = {}) =>
  textOf("a switch block's hash: 64 hex digits", lowerCase(/^[0-9a-f]{64}$/i), options)
