import { isUtf8 } from "node:buffer";
import { deflateSync } from "node:zlib";
import { blobId } from "../../base/git.js";
import { isBinary } from "../../base/binary.js";
import { compareLines } from "../../core/diff/compare-lines.js";
import { hunksOf, linesOf } from "../../core/diff/hunks.js";
import { typeAfter, typeBefore } from "../../plugin/change-set.js";
import type { ChangeSet, FileChange } from "../../plugin/index.js";

/**
 * A change set as a patch that `git apply` takes byte for byte: modes, links, deletions, renames and
 * binaries, as in https://git-scm.com/docs/diff-format. Empty folders are left out, as git has none.
 * `modeOf`: the permission bits of a file before its change.
 */
export function patchOf(
    { changes }: ChangeSet,
    modeOf: (path: string) => number | undefined
): Buffer {
    const sides = changes.map((change) => sidesOf(change, modeOf(change.path)));
    const deleted = new Map(
        sides.flatMap((each) =>
            each.before && !each.after ? [[keyOf(each.before), each] as const] : []
        )
    );
    const renames = new Map<Sides, Sides>();
    for (const each of sides) {
        const key = !each.before && each.after ? keyOf(each.after) : "";
        const source = deleted.get(key);
        if (source) renames.set(each, source);
        deleted.delete(key);
    }
    const sources = new Set(renames.values());
    return Buffer.concat(
        sides.flatMap((each) => {
            const source = renames.get(each);
            if (source) return [renamePart(source, each)];
            return sources.has(each) ? [] : filePart(each);
        })
    );
}

interface Side {
    readonly bytes: Uint8Array;
    /** As git stores it: `100644`. */
    readonly mode: string;
}

interface Sides {
    readonly path: string;
    readonly before: Side | undefined;
    readonly after: Side | undefined;
}

function sidesOf(change: FileChange, modeBefore: number | undefined): Sides {
    const { path, before, after } = change;
    const old = (typeBefore(change) === "file" ? modeBefore : undefined) ?? 0o644;
    const side = (bytes: Uint8Array | null, type: string, bits: number): Side | undefined => {
        if (bytes === null || type === "folder") return undefined;
        if (type === "link") return { bytes, mode: "120000" };
        return { bytes, mode: (bits & 0o100) === 0 ? "100644" : "100755" };
    };
    return {
        path,
        before: side(before, typeBefore(change), old),
        after: side(after, typeAfter(change), change.mode ?? (before === null ? 0o644 : old)),
    };
}

function keyOf({ bytes, mode }: Side): string {
    return `${mode} ${blobId(bytes)}`;
}

function renamePart(source: Sides, target: Sides): Buffer {
    return lines(
        `diff --git ${quoted("a/", source.path)} ${quoted("b/", target.path)}`,
        "similarity index 100%",
        `rename from ${quoted("", source.path)}`,
        `rename to ${quoted("", target.path)}`
    );
}

/** A file that becomes a link or the reverse is deleted and created. */
function filePart(file: Sides): Buffer[] {
    const { path, before, after } = file;
    if (!before && !after) return [];
    if (before && after && before.mode.slice(0, 3) !== after.mode.slice(0, 3)) {
        return [
            ...filePart({ path, before, after: undefined }),
            ...filePart({ ...file, before: undefined }),
        ];
    }
    const [old, fresh] = [quoted("a/", path), quoted("b/", path)];
    const head = [`diff --git ${old} ${fresh}`];
    if (!before && after) head.push(`new file mode ${after.mode}`);
    if (before && !after) head.push(`deleted file mode ${before.mode}`);
    if (before && after && before.mode !== after.mode) {
        head.push(`old mode ${before.mode}`, `new mode ${after.mode}`);
    }
    const [was, is] = [before?.bytes ?? EMPTY, after?.bytes ?? EMPTY];
    // Git knows no other permissions than to execute.
    if (Buffer.compare(was, is) === 0) return head.length > 1 ? [lines(...head)] : [];
    const mode = before && after && before.mode === after.mode ? ` ${after.mode}` : "";
    head.push(`index ${before ? blobId(was) : NO_BLOB}..${after ? blobId(is) : NO_BLOB}${mode}`);
    if (isText(was) && isText(is)) {
        head.push(
            `--- ${before ? ended(old) : "/dev/null"}`,
            `+++ ${after ? ended(fresh) : "/dev/null"}`
        );
        const hunks = hunksOf(compareLines(linesOf(was), linesOf(is)));
        return [lines(...head, ...hunks.flatMap(({ header, lines: rows }) => [header, ...rows]))];
    }
    return [lines(...head, "GIT binary patch", ...literal(is), ...literal(was))];
}

const EMPTY = new Uint8Array();
const NO_BLOB = "0".repeat(40);

function isText(bytes: Uint8Array): boolean {
    return !isBinary(bytes) && isUtf8(bytes);
}

/** Git quotes names as C does, and ends one with spaces by a tab. */
function quoted(prefix: string, path: string): string {
    if (!/["\\\u0000-\u001f\u007f]/.test(path)) return prefix + path;
    const escaped = path.replace(
        /["\\\u0000-\u001f\u007f]/g,
        (character) =>
            ESCAPES[character] ?? `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`
    );
    return `"${prefix}${escaped}"`;
}

const ESCAPES: Readonly<Record<string, string>> = {
    '"': '\\"',
    "\\": "\\\\",
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
};

function ended(name: string): string {
    return name.startsWith('"') || !name.includes(" ") ? name : `${name}\t`;
}

function lines(...rows: readonly string[]): Buffer {
    return Buffer.from(`${rows.join("\n")}\n`, "utf8");
}

const ALPHABET =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
/** Bytes in a line; its first character counts them: `A` is 1, `a` is 27. */
const LINE_BYTES = 52;

function literal(bytes: Uint8Array): string[] {
    const packed = deflateSync(bytes);
    const rows: string[] = [];
    for (let from = 0; from < packed.length; from += LINE_BYTES) {
        const row = packed.subarray(from, from + LINE_BYTES);
        const { length } = row;
        const count = String.fromCharCode(length <= 26 ? 64 + length : 70 + length);
        rows.push(count + base85(row));
    }
    return [`literal ${bytes.length}`, ...rows, ""];
}

function base85(row: Uint8Array): string {
    let text = "";
    for (let from = 0; from < row.length; from += 4) {
        const word = Buffer.alloc(4);
        word.set(row.subarray(from, from + 4));
        let value = word.readUInt32BE();
        let digits = "";
        for (let digit = 0; digit < 5; digit += 1) {
            digits = (ALPHABET[value % 85] ?? "") + digits;
            value = Math.floor(value / 85);
        }
        text += digits;
    }
    return text;
}
