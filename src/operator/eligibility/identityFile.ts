import { open, stat } from 'node:fs/promises'
import { isRecord } from '@wattfeed/casper/types'
import { assertKind, readJson } from './jsonFile.ts'
import { type Identity, loadProver } from './packages.ts'
import { ProverError } from './proverError.ts'

/** Creates an identity and writes it to a new file that only its owner can read. */
export async function createIdentityFile(path: string): Promise<Identity> {
  const { Identity } = await loadProver()
  const identity = new Identity()
  const text = { commitment: identity.commitment.toString(), private_key: identity.export() }
  const file = await open(path, 'wx', 0o600).catch((error) => {
    const rule =
      error.code === 'EEXIST' ? 'exists already and was not changed; use another file' : `(${error.code})`
    throw fault(`cannot create the identity file: ${path} ${rule}`)
  })
  try {
    await file.writeFile(`${JSON.stringify(text, null, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  return identity
}

export interface LoadedIdentity {
  identity: Identity
  /** Null if only the file's owner can read it. */
  warning: string | null
}

/** Reads an identity file. @throws {ProverError} without any of its content. */
export async function readIdentityFile(path: string): Promise<LoadedIdentity> {
  const value = await readJson(path, 'identity')
  if (value === null) throw fault(`identity file ${path} does not exist; "identity" creates one`)
  const { Identity } = await loadProver()
  assertKind(value, 'identity', path)
  const key = isRecord(value) ? value.private_key : undefined
  const commitment = isRecord(value) ? value.commitment : undefined
  if (typeof key !== 'string' || !/^[A-Za-z0-9+/]{43}=$/.test(key))
    throw fault(
      `${path} does not contain the private key of an identity; name a file that "identity" created`,
    )
  const identity = Identity.import(key)
  if (identity.commitment.toString() !== commitment)
    throw fault(
      `the commitment in ${path} does not match its private key; name a file that "identity" created`,
    )
  const isOpenToOthers = ((await stat(path)).mode & 0o077) !== 0
  return { identity, warning: isOpenToOthers ? `${path} is readable by others; run chmod 600 on it` : null }
}

const fault = (message: string): ProverError => new ProverError({ reason: 'identity_file', message })
