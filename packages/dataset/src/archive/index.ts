/**
 * Snapshots as differences against later ones, and what rebuilds them. For Bun.
 *
 * @module @wattfeed/dataset/archive
 */
export { createDifference } from './createDifference.ts'
export { type DifferenceHeader, MAX_HEADER_BYTES, parseHeader } from './difference.ts'
export { ARCHIVE, type ArchivedSnapshot, archivePath, openArchived } from './openArchived.ts'
