import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.js";
import { globalIndex } from "../../src/retrievers/global-index.js";
import { decodeIndex, encodeIndex } from "../../src/retrievers/global-index-codec.js";
import { englishStopWords } from "../../src/text/stop-words.js";

const documents = [
  { owner: "ada", text: "The stone harbour wall, 日本語" },
  { owner: 'ben "the\nsecond"', text: "harbour master of the harbour", content: "a film" },
  { owner: "ada", text: "" },
];
const settings = { stopWords: englishStopWords, maxFeatures: 4 };

describe("a saved index", () => {
  it("comes back the same, settings, owners and contents included", () => {
    const index = globalIndex(documents, settings);
    const loaded = decodeIndex(encodeIndex(index));
    expect(loaded.parts).toEqual(index.parts);
    expect(loaded.top("the harbour", 3)).toEqual(index.top("the harbour", 3));
    expect(loaded.top("harbour", 3, { owner: 'ben "the\nsecond"', contents: ["A film"] })).toEqual(
      index.top("harbour", 3, { owner: 'ben "the\nsecond"' }),
    );
  });

  it("comes back without settings, empty, and from bytes at any place in a buffer", () => {
    for (const index of [globalIndex(documents), globalIndex([])]) {
      const bytes = encodeIndex(index);
      const buffer = new Uint8Array(bytes.length + 3);
      buffer.set(bytes, 3);
      expect(decodeIndex(bytes).parts).toEqual(index.parts);
      expect(decodeIndex(buffer.subarray(3)).parts).toEqual(index.parts);
    }
  });

  it("can be extended like the one that was saved", () => {
    const index = globalIndex(documents, settings);
    const added = [{ owner: "cas", text: "a stone" }];
    expect(decodeIndex(encodeIndex(index)).extend(added).parts).toEqual(index.extend(added).parts);
  });

  it("is the same bytes for the same documents", () => {
    expect(encodeIndex(globalIndex(documents))).toEqual(encodeIndex(globalIndex(documents)));
  });

  it("is refused with the file's name when it is cut off, changed, of another format or something else", () => {
    const bytes = encodeIndex(globalIndex(documents));
    const changed = (place: number): Uint8Array => bytes.map((byte, i) => (i === place ? byte ^ 1 : byte));
    const refused = (broken: Uint8Array, message: RegExp): void => {
      const decode = (): unknown => decodeIndex(broken, "cache/index.bin");
      expect(decode).toThrow(UsageError);
      expect(decode).toThrow(/^cache\/index\.bin: /);
      expect(decode).toThrow(message);
    };
    refused(bytes.subarray(0, bytes.length - 1), /cut off or damaged/);
    refused(changed(bytes.length - 9), /cut off or damaged/);
    refused(changed(20), /cut off or damaged/);
    refused(changed(4), /saved in format 0, this program reads format 1/);
    refused(new TextEncoder().encode('{"documents": ["a", "b"]}'), /not a saved global index/);
    refused(new Uint8Array(3), /not a saved global index/);
  });
});
