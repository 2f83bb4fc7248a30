import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { INTER, INTER_HAS, refuseOtherPictures, toPdf, toPng, writePicture } from "../../src/app/report/picture.js";
import { UsageError } from "../../src/errors.js";
import { renderSvg } from "../../src/report/charts/svg.js";
import { tempDir } from "../helpers/temp-dir.js";

describe("the font that comes along", () => {
  test("has every letter for which no other font is looked for", () => {
    const inFont = lettersOf(readFileSync(INTER));
    const letters = Array.from({ length: 0xffff }, (_, code) => String.fromCharCode(code)).filter((letter) =>
      INTER_HAS.test(letter),
    );
    expect(letters.filter((letter) => letter !== "\n" && !inFont.has(letter.charCodeAt(0)))).toEqual([]);
  });
});

describe("a picture's file", () => {
  test("ends in .svg for the drawing as it is", async () => {
    const cwd = tempDir();
    await writePicture("a.svg", "<svg/>", cwd);
    expect(readFileSync(join(cwd, "a.svg"), "utf8")).toBe("<svg/>");
  });

  test.each(["a.gif", "a", "svg"])("%s is refused, naming the endings there are", (file) => {
    expect(() => refuseOtherPictures(file)).toThrow(
      new UsageError(`--picture ${file}: the ending must be .svg, .png or .pdf`),
    );
  });

  test("as PNG is what the converter makes of the drawing", async () => {
    class Resvg {
      readonly svg: string;
      constructor(svg: string) {
        this.svg = svg;
      }
      render = () => ({ asPng: () => new TextEncoder().encode(`png of ${this.svg}`) });
    }
    const bytes = await toPng("<svg/>", async () => ({ Resvg }));
    expect(new TextDecoder().decode(bytes)).toBe("png of <svg/>");
  });

  test.each([
    ["naïve – Σ −.5", false],
    ["日本", true],
    ["😀", true],
  ])(
    "as PNG needs the fonts of the machine for letters alone that the one that comes along lacks: %s",
    async (text, loaded) => {
      const asked: object[] = [];
      class Resvg {
        constructor(_: string, options: object) {
          asked.push(options);
        }
        render = () => ({ asPng: () => new Uint8Array() });
      }
      await toPng(`<svg>\n<text>${text}</text></svg>`, async () => ({ Resvg }));
      expect(asked).toMatchObject([{ font: { loadSystemFonts: loaded } }]);
    },
  );

  test("as PNG names the package and the way round where it is missing", async () => {
    const missing = () => Promise.reject(new Error("Cannot find package '@resvg/resvg-js'"));
    await expect(toPng("<svg/>", missing)).rejects.toThrow(
      /^--picture: PNG needs @resvg\/resvg-js \(Cannot find .*\); npm install @resvg\/resvg-js, or name a file that ends in \.svg$/,
    );
  });

  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20" viewBox="0 0 30 20"><path d="M0,0L30,20" stroke="#000"/><text x="2" y="9">.5</text></svg>`;

  test("as PDF is one page of the drawing's size, the same bytes each time", async () => {
    const [one, other] = [await toPdf(drawing), await toPdf(drawing)];
    expect(Buffer.from(one).equals(Buffer.from(other))).toBe(true);
    const text = Buffer.from(one).toString("latin1");
    expect(text.startsWith("%PDF-")).toBe(true);
    expect(text.match(/\/MediaBox \[[^\]]*\]/g)).toEqual(["/MediaBox [0 0 30 20]"]);
    expect(text).toContain("Inter");
    expect(text).not.toContain("/Subtype /Image");
  });

  test("as PDF names the packages and the way round where they are missing", async () => {
    const missing = () => Promise.reject(new Error("Cannot find package 'pdfkit'"));
    await expect(toPdf(drawing, missing)).rejects.toThrow(
      /^--picture: PDF needs pdfkit and svg-to-pdfkit \(Cannot find .*\); npm install pdfkit svg-to-pdfkit, or name a file that ends in \.svg$/,
    );
  });
});

/** The code points for which a font has a glyph, by its table "cmap" in form 4 (OpenType specification, cmap). */
function lettersOf(font: Buffer): Set<number> {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, i) => 12 + 16 * i);
  const record = tables.find((at) => font.toString("latin1", at, at + 4) === "cmap") ?? 0;
  const cmap = font.readUInt32BE(record + 8);
  const forms = Array.from(
    { length: font.readUInt16BE(cmap + 2) },
    (_, i) => cmap + font.readUInt32BE(cmap + 8 + 8 * i),
  );
  const form = forms.find((at) => font.readUInt16BE(at) === 4) ?? 0;
  const ends = font.readUInt16BE(form + 6);
  return new Set(
    Array.from({ length: ends / 2 }, (_, i) => [
      font.readUInt16BE(form + 16 + ends + 2 * i),
      font.readUInt16BE(form + 14 + 2 * i),
    ]).flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, i) => first + i)),
  );
}

test("a control sign in a name of the data, which no XML may hold, is drawn as a replacement", async () => {
  const data = { values: [{ user: "b\u0001ob \ud800 \uffff <ann> \u{1f3ac}", score: 1 }] };
  const encoding = { text: { field: "user", type: "nominal" }, x: { field: "score", type: "quantitative" } };
  const svg = await renderSvg({ data, mark: "text", encoding });
  expect(svg).toContain("b\uFFFDob \uFFFD \uFFFD &lt;ann&gt; \u{1f3ac}");
  expect((await toPng(svg)).length).toBeGreaterThan(100);
});
