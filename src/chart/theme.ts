/** The colors of a chart; `auto` follows the reader's. */
export const chartThemes = ['auto', 'light', 'dark'] as const
export type ChartTheme = (typeof chartThemes)[number]

/** The colors of `src/site/tokens.css`: an SVG has no variables of a page around it. */
const light = { page: '#fcfcfa', text: '#1b1d1f', muted: '#565c61', grid: '#dededa', accent: '#0b57a4' }
const dark = { page: '#121517', text: '#e6e8ea', muted: '#a2aab1', grid: '#2c3237', accent: '#7db6f7' }

const colors = ({ page, text, muted, grid, accent }: typeof light): string =>
  `.wf-page{fill:${page}}.wf-title,.wf-newest{fill:${text}}.wf-label,.wf-unit{fill:${muted}}.wf-grid{stroke:${grid}}.wf-line{stroke:${accent}}.wf-dot{fill:${accent}}`

const SHAPES = [
  '.wf-chart text{font-family:system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;unicode-bidi:plaintext}.wf-title{font-size:14px;font-weight:600}.wf-newest{font-size:20px;font-weight:600}.wf-newest tspan{font-weight:400}.wf-unit{font-size:14px}.wf-label{font-size:11px}',
  '.wf-line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.wf-alone{stroke-width:4}',
].join('')

/** Returns the style of a chart. */
export function chartStyle(theme: ChartTheme): string {
  if (theme !== 'auto') return `${SHAPES}${colors(theme === 'dark' ? dark : light)}`
  return `${SHAPES}${colors(light)}@media screen and (prefers-color-scheme:dark){${colors(dark)}}`
}
