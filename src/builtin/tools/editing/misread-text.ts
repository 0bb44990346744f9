import type { ByteText } from "./byte-text.js";
import { exactMatches } from "./exact-matches.js";
import { lineNumberAt, startOfLine } from "./lines.js";
import type { NearMiss } from "./near-miss.js";
import { previewAt } from "./places.js";

const NUMBERED = /^[> ]? *\d+(?:: |:$|\t| ?\| ?|→)/;

// Each undoes one kind of damage; only used to explain a miss, never applied.
const REPAIRS: readonly { readonly reason: string; repair(wanted: ByteText): ByteText }[] = [
    {
        reason: "your text has CRLF line breaks where the file has LF; send LF",
        repair: (wanted) => wanted.replaceAll("\r\n", "\n"),
    },
    {
        reason: "your lines begin with line numbers, which are not part of the file",
        repair(wanted) {
            const lines = wanted.split("\n");
            const areNumbered = lines.every((line) => line === "" || NUMBERED.test(line));
            return areNumbered
                ? lines.map((line) => line.replace(NUMBERED, "")).join("\n")
                : wanted;
        },
    },
    {
        reason: 'your text is escaped twice (it has \\n, \\t or \\" as two characters)',
        repair: (wanted) =>
            wanted.replace(/\\(?:r\\n|[nt"'`\\])/g, (escape) => {
                const plain: Record<string, string> = { "\\n": "\n", "\\r\\n": "\n", "\\t": "\t" };
                return plain[escape] ?? escape.slice(1);
            }),
    },
    {
        reason: "your text has HTML entities (&lt; &gt; &amp; &quot;) where the file has the characters",
        repair: (wanted) =>
            wanted
                .replaceAll("&lt;", "<")
                .replaceAll("&gt;", ">")
                .replaceAll("&quot;", '"')
                .replaceAll("&#39;", "'")
                .replaceAll("&amp;", "&"),
    },
    {
        reason: "your text begins with a byte order mark, which is not part of the text",
        repair: (wanted) => wanted.replace(/^\u00ef\u00bb\u00bf/, ""),
    },
];

/** Typographic quotes, dashes and no-break spaces, in UTF-8. */
const TYPOGRAPHIC = /\xe2\x80[\x93\x94\x98\x99\x9c\x9d]|\xc2\xa0/g;

function plain(text: ByteText): ByteText {
    return text.replace(TYPOGRAPHIC, (sign) => PLAIN[sign] ?? sign);
}

const PLAIN: Readonly<Record<string, string>> = {
    "\xe2\x80\x93": "-",
    "\xe2\x80\x94": "-",
    "\xe2\x80\x98": "'",
    "\xe2\x80\x99": "'",
    "\xe2\x80\x9c": '"',
    "\xe2\x80\x9d": '"',
    "\xc2\xa0": " ",
};

function findTypography(text: ByteText, wanted: ByteText): NearMiss | undefined {
    const [file, sought] = [plain(text), plain(wanted)];
    if (file === text && sought === wanted) return undefined;
    const index = file.indexOf(sought);
    if (index === -1) return undefined;
    const offset = startOfLine(text, lineNumberAt(file, index));
    const signs = "typographic quotes, dashes or no-break spaces";
    const reason =
        sought === wanted
            ? `the file has ${signs} where your text has plain ones; copy them from the file`
            : `your text and the file differ in ${signs}; copy them from the file`;
    return nearMissAt(text, offset, reason);
}

function nearMissAt(text: ByteText, offset: number, reason: string): NearMiss {
    const line = lineNumberAt(text, offset);
    return { reason, line, places: [{ line, preview: previewAt(text, offset) }] };
}

/** Explains a miss by how the text changed on its way from the file to the model's edit. */
export function findMisreading(text: ByteText, wanted: ByteText): NearMiss | undefined {
    for (const { reason, repair } of REPAIRS) {
        const repaired = repair(wanted);
        if (repaired === wanted || repaired.trim() === "") continue;
        for (const { start } of exactMatches(text, repaired)) {
            return nearMissAt(text, start, reason);
        }
    }
    return findTypography(text, wanted);
}
