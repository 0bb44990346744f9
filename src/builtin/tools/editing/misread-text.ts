import type { ByteText } from "./byte-text.js";
import { exactMatches } from "./exact-matches.js";

/** The text would be found if it had not been changed on its way from the file to the model's edit. */
export interface Misreading {
    readonly reason: string;
    /** Where it would be found, as an offset. */
    readonly offset: number;
}

const NUMBERED = /^[> ]? *\d+(?:: |:$|\t| ?\| ?|→)/;

// Each undoes one kind of damage; none is ever applied, only told.
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

/** Which damage explains that the text was not found, if one does. */
export function findMisreading(text: ByteText, wanted: ByteText): Misreading | undefined {
    for (const { reason, repair } of REPAIRS) {
        const repaired = repair(wanted);
        if (repaired === wanted || repaired.trim() === "") continue;

        for (const { start } of exactMatches(text, repaired)) return { reason, offset: start };
    }
    return undefined;
}
