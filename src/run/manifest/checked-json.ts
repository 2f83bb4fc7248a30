import { crc32 } from "node:zlib";

/** A whole file of JSON whose last member, `"#"`, is the length and CRC-32 of the bytes before it, as in the journals. */
export function checkedText(value: object): string {
  const body = JSON.stringify(value, undefined, 2).slice(0, -CLOSING.length);
  const sum = crc32(body).toString(16).padStart(8, "0");
  return `${body},\n  "#": "${Buffer.byteLength(body)}:${sum}"${CLOSING}\n`;
}

/** Whether such a text has a check, and it holds. Line ends may have been changed. */
export function checkHolds(raw: string): boolean {
  const text = raw.replaceAll(/\r\n?/g, "\n");
  const [match, bytes, sum] = CHECK.exec(text) ?? [];
  if (match === undefined) return false;
  const body = text.slice(0, -match.length);
  return Buffer.byteLength(body) === Number(bytes) && crc32(body) === Number.parseInt(sum ?? "", 16);
}

const CLOSING = "\n}";
const CHECK = /,\n {2}"#": "(\d+):([0-9a-f]{8})"\n\}\n?$/;
