/** What the paths of EIA's API start with. Its errors have EIA's forms. */
export const EIA_PATH = '/eia/'
