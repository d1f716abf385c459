import { expect, test } from 'bun:test'
import { drawChart } from '../../../src/web/chart/drawChart.ts'
import {
  ChartBusyError,
  ChartWorkerError,
  type PictureTask,
  type RenderPicture,
  renderPicture,
} from '../../../src/web/chart/renderPicture.ts'
import { chartOf, look } from './chartOf.ts'

const svg = drawChart(chartOf({ caption: 'wattfeed' }), { ...look, width: 480, height: 252 })

/** The size of a PNG. */
function sizeOf(png: Uint8Array<ArrayBuffer>) {
  const view = new DataView(png.buffer, png.byteOffset)
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

test('default: an SVG becomes a PNG of the width, the same each time', async () => {
  const [png, again] = await Promise.all([
    renderPicture({ svg, width: 1_200 }),
    renderPicture({ svg, width: 1_200 }),
  ])
  expect(new TextDecoder().decode(png.subarray(1, 4))).toBe('PNG')
  expect(sizeOf(png)).toEqual({ width: 1_200, height: 630 })
  expect(Bun.hash(again)).toBe(Bun.hash(png))
})

test('behavior: the texts are drawn in the embedded font', async () => {
  const png = await renderPicture({ svg, width: 1_200 })
  const withoutTexts = await renderPicture({
    svg: svg.replaceAll(/<text[\s\S]*?<\/text>/g, ''),
    width: 1_200,
  })
  // The line and the grid alone compress to a fraction of the size.
  expect(withoutTexts.length).toBeLessThan(png.length * 0.8)
})

test('error: an SVG that cannot be read', async () => {
  await expect(renderPicture({ svg: '<svg', width: 1_200 })).rejects.toThrow(ChartWorkerError)
})

test('error: with nine pictures waiting or rendered, further ones are refused until one is done', async () => {
  const released = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
  const tasks: PictureTask[] = []
  const run: RenderPicture = (task) => {
    tasks.push(task)
    return released.promise
  }
  const render = () => renderPicture({ svg, width: 1 }, run)
  const first = Array.from({ length: 9 }, () => render())
  await expect(render()).rejects.toThrow(ChartBusyError)
  expect(tasks).toHaveLength(1)
  released.resolve(new Uint8Array())
  await Promise.all(first)
  await render()
  expect(tasks).toHaveLength(10)
})
