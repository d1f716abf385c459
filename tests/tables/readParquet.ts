import { parquetReadObjects } from 'hyparquet'

/** Reads the rows of a Parquet file. */
export const readParquet = (bytes: Uint8Array<ArrayBuffer>): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({
    file: { byteLength: bytes.length, slice: (start, end) => bytes.slice(start, end).buffer },
  })
