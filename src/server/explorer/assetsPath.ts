/** The start of the paths of the explorer's built files. */
export const ASSETS_PATH = '/explorer/assets/'
