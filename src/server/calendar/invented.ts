import type { PublicSite } from '../publicSite.ts'

/** A notice for whoever subscribes to a server of a development chain; null if the figures are real. */
export const noticeOf = ({ isPublicChain }: Pick<PublicSite, 'isPublicChain'>): string | null =>
  isPublicChain ? null : 'The figures on this server are invented. It reads a development chain.'
