import { inspect } from 'node:util'

/** The same URL with everything in it that nobody may be told. */
export const withSecrets = (url: string): string =>
  url.replace('http://', 'http://reader:pa55word@').replace('/rpc', '/t0ken-in-path/rpc?key=qu3ry-key')

/** Finds what {@link withSecrets} put in, also where it was encoded. */
export const secrets = /reader|pa55word|t0ken|qu3ry|cmVhZGVyOnBhNTV3b3Jk/

/** Everything that a log could print of an error. */
export const spellings = (error: Error): string =>
  [error.message, error.stack, inspect(error, { depth: 9, showHidden: true })].join('\n')
