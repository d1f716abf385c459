/** The bolt beside the name in the header of every page: an SVG with one path. */
export const bolt = {
  viewBox: '7 3 19 26',
  width: 15,
  height: 22,
  path: 'M18 4 7 18h7l-2 10 12-15h-7z',
} as const
