import { expect, test } from "vitest";
import { imageSize } from "./image.ts";

const base64 = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string, "latin1"))).toString("base64");

const png = base64("\x89PNG\r\n\x1a\n", [0, 0, 0, 13], "IHDR", [0, 0, 2, 128, 0, 0, 1, 224], [8, 6, 0, 0, 0]);
const gif = base64("GIF89a", [0x40, 0x01, 0xc8, 0x00], [0, 0, 0]);
const segment = (marker: number, length: number) => [0xff, marker, (length + 2) >> 8, (length + 2) & 0xff, ...new Array<number>(length).fill(0)];
const frame = (marker: number) => [0xff, marker, 0, 17, 8, 0x01, 0xe0, 0x02, 0x80, 3, 0, 0, 0];
const riff = (kind: string, body: number[]) => base64("RIFF", [0, 0, 0, 0], "WEBP", kind, [0, 0, 0, 0], body, new Array<number>(16).fill(0));

test.each([
  ["PNG", png, 640, 480],
  ["GIF", gif, 320, 200],
  ["JPEG, baseline", base64([0xff, 0xd8], segment(0xe0, 14), frame(0xc0)), 640, 480],
  [
    "JPEG, progressive behind long metadata, tables and fill bytes",
    base64([0xff, 0xd8], segment(0xe1, 30_000), segment(0xc4, 20), [0xff], frame(0xc2)),
    640,
    480,
  ],
  ["WebP, extended", riff("VP8X", [0, 0, 0, 0, 0x7f, 0x02, 0, 0xdf, 0x01, 0]), 640, 480],
  ["WebP, lossless", riff("VP8L", [0x2f, 0x7f, 0xc2, 0x77, 0]), 640, 480],
  ["WebP, lossy", riff("VP8 ", [0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0xe0, 0x01]), 640, 480],
])("%s", (_, data, width, height) => {
  expect(imageSize(data)).toEqual({ width, height });
});

test.each([
  ["nothing", ""],
  ["text", Buffer.from("hello, this is no image at all").toString("base64")],
  ["an address", "https://example.test/a.png"],
  ["a PNG that is cut", png.slice(0, 16)],
  ["a JPEG that is cut before its frame", base64([0xff, 0xd8], segment(0xe0, 14))],
  ["a WebP of another kind", riff("XXXX", [])],
])("%s has no size", (_, data) => {
  expect(imageSize(data)).toBeUndefined();
});
