import fc from "fast-check";
import {
    chmodSync,
    cpSync,
    lstatSync,
    mkdirSync,
    readdirSync,
    readFileSync,
    readlinkSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { sha256 } from "../../src/base/sha256.js";
import { fileTypes } from "../../src/plugin/change-set.js";
import type { ChangedFile } from "../../src/plugin/records.js";

/** One step that somebody could take in a folder. */
export type Step =
    | {
          readonly kind: "write";
          readonly path: string;
          readonly content: Buffer;
          readonly mode: number;
      }
    | { readonly kind: "remove" | "mkdir"; readonly path: string }
    | { readonly kind: "chmod"; readonly path: string; readonly mode: number }
    | { readonly kind: "link"; readonly path: string; readonly target: string }
    | { readonly kind: "move"; readonly path: string; readonly to: string };

const NAMES = [
    "a.ts",
    "b.txt",
    "src",
    "docs",
    "größe.md",
    "dist",
    "x.log",
    "key.pem",
    ".env",
    "tab\tname",
];
const TEXTS = [
    "needle one\nsecond line\n",
    "first\r\nneedle crlf\r\n",
    "no newline needle",
    "",
    "\ufeffneedle after a mark\n",
    "*.log\n",
    "!x.log\ndocs/\n",
    "needle\n".repeat(12),
];

const name = fc.constantFrom(...NAMES);
const place = fc.oneof(
    {
        weight: 3,
        arbitrary: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
    },
    {
        weight: 1,
        arbitrary: fc.constantFrom(
            ".gitignore",
            "src/.gitignore",
            ".northignore",
            "package.json",
            "src/a.ts",
            "docs/b.txt"
        ),
    }
);
const content = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.constant(Buffer.from("needle\0binary\n")) },
    { weight: 1, arbitrary: fc.constant(Buffer.from("\ufffeneedle wide\n", "utf16le")) }
);
const mode = fc.constantFrom(0o644, 0o755, 0o600);
const target = fc.oneof(
    place,
    fc.constantFrom("..", "../outside", "/etc/passwd", "src", "../a.ts", ".")
);

const step: fc.Arbitrary<Step> = fc.oneof(
    {
        weight: 5,
        arbitrary: fc.record({ kind: fc.constant("write" as const), path: place, content, mode }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), path: place }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("mkdir" as const), path: place }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("chmod" as const), path: place, mode }) },
    {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant("link" as const), path: place, target }),
    },
    {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant("move" as const), path: place, to: place }),
    }
);

/** Any number of steps, some of which are impossible and do nothing. */
export const steps = (maxLength: number) => fc.array(step, { maxLength });

/** Takes the steps for real; kinds change wherever they do. */
export function take(root: string, all: readonly Step[]): void {
    for (const each of all) {
        try {
            takeStep(root, each);
        } catch {
            // A folder is in the way, or nothing is there.
        }
    }
}

function takeStep(root: string, each: Step): void {
    const at = path.join(root, each.path);
    // Where real links lead out of the folder no step follows.
    for (let folder = path.dirname(at); folder !== root; folder = path.dirname(folder)) {
        const stats = lstatSync(folder, { throwIfNoEntry: false });
        if (stats && !stats.isDirectory()) rmSync(folder);
    }
    const parent = () => mkdirSync(path.dirname(at), { recursive: true });
    switch (each.kind) {
        case "write":
            parent();
            rmSync(at, { recursive: true, force: true });
            writeFileSync(at, each.content);
            return chmodSync(at, each.mode);
        case "remove":
            return rmSync(at, { recursive: true });
        case "mkdir":
            parent();
            return void mkdirSync(at);
        case "chmod":
            if (lstatSync(at).isSymbolicLink() || lstatSync(at).isDirectory()) return;
            return chmodSync(at, each.mode);
        case "link":
            parent();
            rmSync(at, { recursive: true, force: true });
            return symlinkSync(each.target, at);
        case "move": {
            if (`${each.to}/`.startsWith(`${each.path}/`)) return;
            cpSync(at, path.join(root, "moving"), { recursive: true, verbatimSymlinks: true });
            rmSync(at, { recursive: true });
            const to = path.join(root, each.to);
            try {
                for (
                    let folder = path.dirname(to);
                    folder !== root;
                    folder = path.dirname(folder)
                ) {
                    const stats = lstatSync(folder, { throwIfNoEntry: false });
                    if (stats && !stats.isDirectory()) rmSync(folder);
                }
                rmSync(to, { recursive: true, force: true });
                mkdirSync(path.dirname(to), { recursive: true });
                cpSync(path.join(root, "moving"), to, { recursive: true, verbatimSymlinks: true });
            } finally {
                rmSync(path.join(root, "moving"), { recursive: true, force: true });
            }
            return;
        }
        default:
            return each satisfies never;
    }
}

interface Found {
    readonly type?: "link" | "folder";
    readonly hash: string;
    readonly mode?: number;
    readonly bytes: Buffer;
}

/** All below a folder but git's own, by relative path. */
export function snapshot(root: string, folder = ""): Map<string, Found> {
    const found = new Map<string, Found>();
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
        const place = path.posix.join(folder, entry.name);
        if (place === ".git") continue;
        const absolute = path.join(root, place);
        const bits = lstatSync(absolute).mode & 0o7777;
        if (entry.isSymbolicLink()) {
            const bytes = Buffer.from(readlinkSync(absolute));
            found.set(place, { type: "link", hash: sha256(bytes), bytes });
        } else if (entry.isDirectory()) {
            const bytes = Buffer.alloc(0);
            found.set(place, { type: "folder", hash: sha256(bytes), mode: bits, bytes });
            for (const [name, each] of snapshot(root, place)) found.set(name, each);
        } else {
            const bytes = readFileSync(absolute);
            found.set(place, { hash: sha256(bytes), mode: bits, bytes });
        }
    }
    return found;
}

/** The changes that lead from one folder to another, with contents by hash. */
export function changesBetween(before: string, after: string) {
    const [old, fresh] = [snapshot(before), snapshot(after)];
    const contents = new Map<string, Uint8Array>();
    const changes = new Map<string, ChangedFile>();
    for (const place of [...new Set([...old.keys(), ...fresh.keys()])].sort()) {
        const [one, other] = [old.get(place), fresh.get(place)];
        if (one?.hash === other?.hash && one?.mode === other?.mode && one?.type === other?.type) {
            continue;
        }
        for (const each of [one, other]) if (each) contents.set(each.hash, each.bytes);
        const [was, is] = [one, other].map((each) => each && (each.type ?? "file"));
        changes.set(place, {
            path: place,
            ...fileTypes(was, is),
            beforeHash: one?.hash ?? null,
            afterHash: other?.hash ?? null,
            ...(one?.mode !== undefined && { modeBefore: one.mode }),
            ...(other?.mode !== undefined && { modeAfter: other.mode }),
        });
    }
    const get = async (hash: string) =>
        contents.get(hash) ?? Promise.reject(new Error(`There is no content ${hash}.`));
    return { changes, contents: { get } };
}
