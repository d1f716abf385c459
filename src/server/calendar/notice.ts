import { INVENTED } from '../discovery/describeFeed.ts'
import type { PublicSite } from '../publicSite.ts'

/** Returns the notice of a development chain; null if the figures are real. */
export const noticeOf = ({ isPublicChain }: Pick<PublicSite, 'isPublicChain'>): string | null =>
  isPublicChain ? null : INVENTED
