import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { readTextFile } from '../../agent/state/readTextFile.ts'
import { parseJson } from '../../runtime/parseJson.ts'
import { writeAtomically } from '../../runtime/writeAtomically.ts'
import { RegistrationError } from './registrationError.ts'

const PendingRegistration = Type.Object({
  feed_id: Type.String(),
  /** 64 hex digits: where it is registered. */
  feed_registry_package_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  transaction_hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** Epoch milliseconds. */
  expires_at: Type.Integer(),
  payment_motes: Type.String({ pattern: '^[0-9]+$' }),
  /** What `account_put_transaction` takes. */
  transaction: Type.Object({ Version1: Type.Unknown() }),
})
/** A signed registration that may be on its way. */
export type PendingRegistration = Static<typeof PendingRegistration>

/** Remembers it, so that a run after an interruption sends no second one. */
export interface PendingRegistrationFile {
  /** Null where nothing is pending. Throws a `RegistrationError` where the file is none, or of another registry. */
  read(): Promise<PendingRegistration | null>
  write(pending: PendingRegistration): Promise<void>
  clear(): Promise<void>
}

/** Where registrations go. */
interface Destination {
  stateDir: string
  chainName: string
  /** 64 hex digits. */
  feedRegistryPackageHash: string
}

/** Keeps it in the state folder, in a file of this chain. */
export function createPendingRegistrationFile(destination: Destination): PendingRegistrationFile {
  const { stateDir, chainName, feedRegistryPackageHash } = destination
  const path = join(stateDir, `registration-${chainName}.json`)
  return {
    async read() {
      const text = await readTextFile(path)
      if (text === null) return null
      const pending = parse(path, text)
      assertOwn(path, pending.feed_registry_package_hash, feedRegistryPackageHash)
      return pending
    },
    write: (pending) => writeAtomically(path, `${JSON.stringify(pending)}\n`),
    clear: () => rm(path, { force: true }),
  }
}

function parse(path: string, text: string): PendingRegistration {
  const value = parseJson(text)
  if (Value.Check(PendingRegistration, value)) return value
  throw new RegistrationError(
    'pending_file',
    `${path} holds no signed transaction; look up what became of the registration, then remove the file`,
  )
}

function assertOwn(path: string, found: string, wanted: string): void {
  if (found !== wanted)
    throw new RegistrationError(
      'pending_file',
      `${path} is of the FeedRegistry hash-${found}, not hash-${wanted}; settle it with its settings, or choose another AGENT_STATE_DIR`,
    )
}
