import { Type } from '@sinclair/typebox'
import type { RootAt } from 'wattfeed/internal'
import { momentParameter } from '../../runtime/settings/moment.ts'
import { MAX_INDEX } from '../http/apiDocs.ts'
import { QueryError } from '../http/strictQuery.ts'

/** The parameters that name the root that answers. */
export const rootParameters = {
  as_of: Type.Optional(
    momentParameter('The newest root that was attested up to this time answers, and no other'),
  ),
  index: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_INDEX,
      description:
        'Index of the attestation whose root answers, from 0; by default the newest whose files the server has.',
    }),
  ),
}

export interface RootParameters {
  as_of?: number | undefined
  index?: number | undefined
}

/** Returns the root that a request names; null for the newest whose files are there. @throws {QueryError} for two. */
export function rootAtOf({ as_of, index }: RootParameters): RootAt | null {
  if (as_of === undefined) return index === undefined ? null : { index, root: '' }
  if (index !== undefined)
    throw new QueryError('index', String(index), 'as_of names the root, too; pass one of them')
  return { asOf: as_of }
}

/** Asserts that a request with a cursor, which names the root, names no other. @throws {QueryError} */
export function assertNoRoot({ as_of, index }: RootParameters): void {
  const rule = 'a cursor names the root, too; pass one of them'
  if (index !== undefined) throw new QueryError('index', String(index), rule)
  if (as_of !== undefined) throw new QueryError('as_of', new Date(as_of).toISOString(), rule)
}
