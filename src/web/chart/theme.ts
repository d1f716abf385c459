/** The colors of a chart; `auto` follows the reader's. */
export const chartThemes = ['auto', 'light', 'dark'] as const
export type ChartTheme = (typeof chartThemes)[number]

/** The height of a chart in pixels: narrow ones are higher in proportion, because their header has the same height. */
export const heightOf = (width: number): number => Math.round(Math.min(90 + width * 0.34, 480))

/** The colors of `src/web/site/tokens.css` by their names there, for what cannot load that style sheet: an SVG and an embedded page. */
export const palettes = {
  light: {
    page: '#fcfcfa',
    text: '#1b1d1f',
    muted: '#565c61',
    line: '#dededa',
    accent: '#0b57a4',
    warn: '#7a5000',
    bad: '#a8221b',
  },
  dark: {
    page: '#121517',
    text: '#e6e8ea',
    muted: '#a2aab1',
    line: '#2c3237',
    accent: '#7db6f7',
    warn: '#e3b457',
    bad: '#ff9087',
  },
} as const

type Palette = Readonly<Record<keyof typeof palettes.light, string>>

const colorRules = ({ page, text, muted, line, accent }: Palette): string =>
  `.wf-page{fill:${page}}.wf-title,.wf-newest{fill:${text}}.wf-label,.wf-unit{fill:${muted}}.wf-grid{stroke:${line}}.wf-line{stroke:${accent}}.wf-dot{fill:${accent}}`

/** In pixels. What is drawn has room for texts of these sizes. */
export const fontSizes = { title: 14, newest: 20, unit: 14, label: 11 } as const

/** The fonts, and the strokes of the line. */
const SHAPES = [
  `.wf-chart text{font-family:system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;unicode-bidi:plaintext}.wf-title{font-size:${fontSizes.title}px;font-weight:600}.wf-newest{font-size:${fontSizes.newest}px;font-weight:600}.wf-newest tspan{font-weight:400}.wf-unit{font-size:${fontSizes.unit}px}.wf-label{font-size:${fontSizes.label}px}`,
  '.wf-line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}.wf-alone{stroke-width:4}',
].join('')

/** Returns the style sheet of a chart. */
export function chartStyle(theme: ChartTheme): string {
  if (theme !== 'auto') return `${SHAPES}${colorRules(palettes[theme])}`
  const dark = `@media screen and (prefers-color-scheme:dark){${colorRules(palettes.dark)}}`
  return `${SHAPES}${colorRules(palettes.light)}${dark}`
}
