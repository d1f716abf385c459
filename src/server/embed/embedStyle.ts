import { type ChartTheme, palettes } from '../../web/chart/theme.ts'

const variablesOf = (palette: Readonly<Record<string, string>>): string =>
  Object.entries(palette)
    .map(([name, color]) => `--${name}:${color}`)
    .join(';')

const [LIGHT, DARK] = [variablesOf(palettes.light), variablesOf(palettes.dark)]

const RULES = [
  'body{margin:0;padding:4px 0 8px;background:var(--page);color:var(--text);font:13px/1.45 system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}',
  'main>:not(figure){margin:6px 8px}',
  'h1{font-size:15px}',
  'figure{margin:0;max-width:820px}',
  '.title{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}',
  '.drawing{display:none}',
  'svg{display:block;width:100%;height:auto;max-height:300px}',
  'a{color:var(--accent)}',
  'button{font:inherit;padding:4px 10px;border:1px solid var(--muted);border-radius:6px;background:none;color:var(--text);cursor:pointer}',
  'button:focus-visible,a:focus-visible,summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}',
  '.muted{color:var(--muted)}',
  '.invented,.is-old{color:var(--warn)}',
  '.is-broken{color:var(--bad)}',
  'table{border-collapse:collapse;font-variant-numeric:tabular-nums}',
  'caption{text-align:left;color:var(--muted)}',
  'th,td{padding:2px 12px 2px 0;border-bottom:1px solid var(--line);text-align:left;font-weight:400}',
  'td{text-align:right}',
  'ol{margin:6px 0;padding-left:0;list-style:none}',
  'code{font:11px/1.4 ui-monospace,"DejaVu Sans Mono",monospace}',
  '@media print{button{display:none}}',
].join('\n')

/** Returns the rules that show the drawing that fits. The first one is shown on narrower pages, too. */
const widthRules = (widths: readonly number[]): string[] =>
  widths.map((width, index) => {
    const next = widths[index + 1]
    const from = index === 0 ? '' : ` and (min-width:${width}px)`
    const to = next === undefined ? '' : ` and (max-width:${next - 0.02}px)`
    return `@media all${from}${to}{.w${width}{display:block}}`
  })

/** @param widths that a chart is drawn for, in pixels, ascending */
export function embedStyle(theme: ChartTheme, widths: readonly number[]): string {
  const colors =
    theme === 'auto'
      ? `:root{color-scheme:light dark;${LIGHT}}@media screen and (prefers-color-scheme:dark){:root{${DARK}}}`
      : `:root{color-scheme:${theme};${theme === 'dark' ? DARK : LIGHT}}`
  return [colors, RULES, ...widthRules(widths)].join('\n')
}
