// The OFL allows the font in programs, and the MPL the renderer.
import fontPath from '@expo-google-fonts/roboto/400Regular/Roboto_400Regular.ttf' with { type: 'file' }
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import wasmPath from '@resvg/resvg-wasm/index_bg.wasm' with { type: 'file' }
import type { PictureTask } from './renderPicture.ts'

declare const self: Worker

const FONT = 'Roboto'

self.onmessage = async ({ data: { svg, width } }: MessageEvent<PictureTask>) => {
  const [wasm, font] = await Promise.all([Bun.file(wasmPath).arrayBuffer(), Bun.file(fontPath).bytes()])
  await initWasm(wasm)
  // No font of the system: the picture is the same on every machine.
  const fonts = { fontBuffers: [font], defaultFontFamily: FONT, sansSerifFamily: FONT }
  const picture = new Resvg(svg, { fitTo: { mode: 'width', value: width }, font: fonts })
  const png = picture.render().asPng()
  self.postMessage(png, [png.buffer as ArrayBuffer])
}
