import type { AttesterBody } from '../../../api/schemas.ts'

type Signers = Pick<NonNullable<AttesterBody['authority']>, 'keys' | 'min_signers'>

/** Formats the required number of signing keys. */
export function describeSigners({ keys, min_signers }: Signers): string {
  if (min_signers === 0) return 'No set of keys can sign.'
  if (keys.length === 1) return 'One key signs alone.'
  return min_signers === 1
    ? `One of ${keys.length} keys can sign alone.`
    : `${min_signers} of ${keys.length} keys must sign.`
}
