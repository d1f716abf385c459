import { inspect } from 'node:util'

/** Returns the URL with every kind of secret in it. */
export const withSecrets = (url: string): string =>
  url.replace('http://', 'http://reader:pa55word@').replace('/rpc', '/t0ken-in-path/rpc?key=qu3ry-key')

/** Matches the secrets of {@link withSecrets}, encoded or not. */
export const secrets = /reader|pa55word|t0ken|qu3ry|cmVhZGVyOnBhNTV3b3Jk/

/** Returns all text that a log could print about an error. */
export const spellings = (error: Error): string =>
  [error.message, error.stack, inspect(error, { depth: 9, showHidden: true })].join('\n')
