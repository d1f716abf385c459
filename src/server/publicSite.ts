import { isPublicChain } from '../web/site/publicChains.ts'
import { defineHttpError } from './http/httpError.ts'

/** How people reach this server, and what its pages may claim. */
export interface PublicSite {
  /** The origin, such as `https://feeds.example.com`; null if the server does not know it. */
  readonly origin: string | null
  /**
   * Whether the values are EIA's. Those of a development chain are invented, so its pages are not for search engines and name
   * no publisher.
   */
  readonly isPublicChain: boolean
}

export const describeSite = (origin: string | null, chainName: string): PublicSite => ({
  origin,
  isPublicChain: isPublicChain(chainName),
})

/** The first sentence of every description on a development chain. */
export const INVENTED = 'Test data of a development chain: the figures are invented.'

/** Returns the notice of a development chain; null if the figures are real. */
export const noticeOf = ({ isPublicChain }: Pick<PublicSite, 'isPublicChain'>): string | null =>
  isPublicChain ? null : INVENTED

/** A response needs absolute addresses, and the server does not know its own. */
const PublicUrlUnsetError = defineHttpError(
  'PublicUrlUnsetError',
  'public_url_unset',
  (facts: { path: string }) =>
    `${facts.path} has absolute addresses, and this server does not know its own; its operator can set PUBLIC_URL`,
  { status: 404 },
)

/**
 * Returns the site's origin, for an endpoint whose response has absolute addresses. The Host header is never used, because
 * any client may write it.
 *
 * @param path the path of the endpoint, for the error
 * @throws {PublicUrlUnsetError} when `PUBLIC_URL` is not set.
 */
export function requireOrigin({ origin }: PublicSite, path: string): string {
  if (origin === null) throw new PublicUrlUnsetError({ path })
  return origin
}
