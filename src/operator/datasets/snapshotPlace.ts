import { httpFiles, type SnapshotFiles } from '@wattfeed/dataset'
import { folderFiles } from '@wattfeed/dataset/disk'
import { parseSecretOption } from '../../runtime/settings/option.ts'
import { httpUrl } from '../../runtime/settings/textTypes.ts'

/** Whether the place of a snapshot is a URL, and not a folder. */
export const isUrl = (place: string): boolean => /^https?:/i.test(place)

/** Returns the files of a snapshot in a folder or below a URL. @throws {SettingsError} for a malformed URL. */
export const filesAt = (place: string): SnapshotFiles =>
  isUrl(place) ? httpFiles(parseSecretOption('the URL', httpUrl(), place)) : folderFiles(place)
