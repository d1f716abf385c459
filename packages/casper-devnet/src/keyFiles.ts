import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineError } from '@wattfeed/base'
import type { DevnetAccount } from './devnetAccount.ts'

const KeyFileError = defineError(
  'KeyFileError',
  'key_file',
  (facts: { path: string }) =>
    `${facts.path} contains a different key and is not overwritten; use another --keys directory`,
)

/** Returns the path of the secret key of the account with this index. */
export const keyPath = (directory: string, index: number): string => join(directory, `account_${index}.pem`)

/**
 * Writes secret keys to PEM files that only their owner can read.
 *
 * @throws {KeyFileError} when a file contains a different key
 */
export function writeKeys(directory: string, accounts: readonly DevnetAccount[]): void {
  mkdirSync(directory, { recursive: true })
  for (const [index, { secretKeyPem }] of accounts.entries())
    writeKey(keyPath(directory, index), secretKeyPem)
}

function writeKey(path: string, pem: string): void {
  if (!existsSync(path)) writeFileSync(path, pem, { mode: 0o600, flag: 'wx' })
  else if (readFileSync(path, 'utf8') !== pem) throw new KeyFileError({ path })
}
