import { Database } from 'bun:sqlite'

/** Lists the rows of an archive, oldest first. */
export function listRows(path: string): { source_hash: string; archived_at: number | null }[] {
  using database = new Database(path, { readonly: true })
  return database
    .query<{ source_hash: string; archived_at: number | null }, []>(
      'SELECT source_hash, archived_at FROM source ORDER BY rowid',
    )
    .all()
}
