import { CSVW_TYPE } from '../../tables/csvw.ts'

/** What follows the path of a CSV in that of its metadata. */
export const METADATA_SUFFIX = '-metadata.json'

/** Returns the header with the links of a page of a table: to the metadata of its CSV, and to the next page. */
export function tableLink({
  csv,
  search,
  next,
}: {
  /** Path of the CSV. */
  csv: string
  /** The query as sent. The URL of the metadata repeats it. */
  search: string
  /** Path of the next page; null after the last. */
  next: string | null
}): string {
  return [
    // First, because the validator `csvw` warns about any link before it.
    `<${csv}${METADATA_SUFFIX}${search && `?${search}`}>; rel="describedby"; type="${CSVW_TYPE}"`,
    ...(next === null ? [] : [`<${next}>; rel="next"`]),
  ].join(', ')
}
