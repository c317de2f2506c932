// Images of an original as images of an answer.
import { type Block, type Bytes, bodyText } from "../../session/index.ts";

export type ImageContent = { readonly type: "image"; readonly data: string; readonly mimeType: string };
export type ImageBlock = Extract<Block, { readonly type: "image" }>;

/** Base64 in one answer: clients that read messages up to 10 MiB are common. */
export const IMAGES: Bytes = 6 * 1024 * 1024;

export interface SentImages {
  readonly content: readonly ImageContent[];
  /** One line for each image that is not sent, with the reason. */
  readonly notes: readonly string[];
}

/** Images by number from 1; those that are no bytes or too large are named instead. `recall`: the command that writes image N to a file. */
export function imagesOf(blocks: readonly ImageBlock[], recall: string | undefined): SentImages {
  const content: ImageContent[] = [];
  const notes: string[] = [];
  let bytes = 0;
  for (const [index, block] of blocks.entries()) {
    const written = bodyText(block.data);
    const data = base64Of(written);
    if (data === undefined) notes.push(`image ${index + 1} stands elsewhere: ${written.slice(0, 300)}`);
    else if (bytes + data.length > IMAGES)
      notes.push(`image ${index + 1} is too large to send (${data.length} bytes of base64)${recall === undefined ? "" : `: ${recall} --image ${index + 1}`}`);
    else {
      bytes += data.length;
      content.push({ type: "image", data, mimeType: block.mediaType });
    }
  }
  return { content, notes };
}

/** Base64 as every client takes it; undefined where the text holds no bytes, as an address does. */
function base64Of(written: string): string | undefined {
  const text = written.replace(/^data:[^,]*,/, "");
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.length % 4 === 0) return text;
  if (!/^[\w+/\s-]+={0,2}\s*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length > 0 ? bytes.toString("base64") : undefined;
}
