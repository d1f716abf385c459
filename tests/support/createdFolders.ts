/** The temporary folders that tests of this process made with `createFolder`. */
export const createdFolders: string[] = []
