import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { expect } from "chai";
import fc from "fast-check";

import { sha256 } from "../../../src/base/sha256.js";
import { patchOf } from "../../../src/host/operations/patch.js";
import { changeSetOf } from "../../../src/core/draft/view.js";
import { copyOf } from "../../helpers/drafting.js";
import { patient } from "../../helpers/patience.js";
import { changesBetween, steps, take } from "../../helpers/random-changes.js";
import { PROPERTY_RUNS } from "../../workspace/make-folder.js";
import type { FileChange } from "../../../src/plugin/index.js";

/** Contents by path; links begin with `->`, executables with `#!`. */
type Tree = Readonly<Record<string, string | Buffer>>;

const CASES: Readonly<Record<string, { readonly before: Tree; readonly after: Tree }>> = {
    "an edit": { before: { "a.txt": "1\n2\n3\n" }, after: { "a.txt": "1\ntwo\n3\n" } },
    "CRLF line ends": { before: { a: "1\r\n2\r\n" }, after: { a: "1\r\n2\r\n3\r\n" } },
    "mixed line ends": { before: { a: "1\r\n2\n3\r" }, after: { a: "1\n2\r\n3\r" } },
    "no final newline before": { before: { a: "1\n2" }, after: { a: "1\n2\n" } },
    "no final newline after": { before: { a: "1\n2\n" }, after: { a: "1\n2" } },
    "no final newline on both sides": { before: { a: "1\n2" }, after: { a: "0\n2" } },
    "a new file": { before: {}, after: { "src/new/a.ts": "x\n" } },
    "a new empty file": { before: {}, after: { empty: "" } },
    "a deleted file": { before: { "src/a": "x\n", b: "" }, after: {} },
    binaries: {
        before: { old: randomBytes(300), gone: Buffer.from([0, 1, 2]) },
        after: { old: randomBytes(5_000), fresh: Buffer.from([0, 255, 0]) },
    },
    "text that is not UTF-8": {
        before: { a: Buffer.from("caf\xe9\n", "latin1") },
        after: { a: Buffer.from("caf\xe8\n", "latin1") },
    },
    "a byte order mark": { before: { a: "\ufeff1\n" }, after: { a: "\ufeff2\n" } },
    modes: { before: { a: "x\n", b: "#!1\n" }, after: { a: "#!x\n", b: "1\n" } },
    "a new executable": { before: {}, after: { run: "#!/bin/sh\n" } },
    links: {
        before: { target: "x\n", old: "->target", gone: "->target" },
        after: { target: "x\n", old: "->elsewhere", fresh: "->target" },
    },
    "a file that becomes a link": { before: { a: "x\n" }, after: { a: "->b" } },
    "a link that becomes a file": { before: { a: "->b" }, after: { a: "x\n" } },
    "a rename": { before: { "a/b.txt": "x\ny\n" }, after: { "c/d.txt": "x\ny\n" } },
    "a copy of what is deleted twice": { before: { a: "x\n" }, after: { b: "x\n", c: "x\n" } },
    "a file that becomes a folder": { before: { a: "x\n" }, after: { "a/b": "y\n", "a/c": "z\n" } },
    "a folder that becomes a file": { before: { "a/b": "y\n", "a/c": "z\n" }, after: { a: "x\n" } },
    "a folder that becomes a link": { before: { "a/b": "y\n" }, after: { a: "->c" } },
    "a file that moves below its own name": { before: { a: "x\n" }, after: { "a/a": "x\n" } },
    "two files that trade names": { before: { a: "x\n", b: "y\n" }, after: { a: "y\n", b: "x\n" } },
    "a rename that becomes executable": { before: { a: "#x\n" }, after: { b: "#!x\n" } },
    "a large binary": { before: {}, after: { big: randomBytes(200_000) } },
    "unicode names": { before: { "grün/日本.txt": "1\n" }, after: { "grün/日本.txt": "2\n" } },
    "names with spaces, quotes and backslashes": {
        before: { "a b.txt": "1\n", 'q"uote': "1\n", "back\\slash": "1\n", "t\tab": "1\n" },
        after: { "a b.txt": "2\n", 'q"uote': "2\n", "back\\slash": "2\n", "t\tab": "2\n" },
    },
    "a name with spaces that is renamed": { before: { "a b": "x\n" }, after: { "c d": "x\n" } },
};

describe("A patch of a draft", () => {
    let folder: string;

    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(tmpdir(), "north-patch-"));
        execFileSync("git", ["init", "-q", folder]);
    });
    afterEach(() => fs.rmSync(folder, { recursive: true }));

    it("Permissions that git does not know are no part of a patch", () => {
        const bytes = Buffer.from("x\n");
        const change = { path: "a", before: bytes, beforeHash: sha256(bytes), after: bytes };
        const edited = { ...change, path: "b", after: Buffer.from("y\n"), mode: 0o644 };
        const changes = [{ ...change, mode: 0o600 }, edited];
        const patch = patchOf({ changes }, () => 0o640).toString();
        expect(patch).to.match(/^diff --git a\/b b\/b\n/);
        expect(patchOf({ changes: [{ ...change, mode: 0o600 }] }, () => 0o640)).to.have.length(0);
    });

    it("A file has no permissions of the folder or link that it replaces", () => {
        const [before, after] = [Buffer.from(""), Buffer.from("x\n")];
        for (const typeBefore of ["folder", "link"] as const) {
            const change = { path: "a", typeBefore, before, beforeHash: sha256(before), after };
            const patch = patchOf({ changes: [change] }, () => 0o755).toString();
            expect(patch).to.include("new file mode 100644");
        }
    });

    it("git apply turns the project into any draft", async function () {
        this.timeout(patient(120_000));
        await fc.assert(
            fc.asyncProperty(steps(6), steps(8), async (first, second) => {
                const before = fs.mkdtempSync(path.join(tmpdir(), "north-patch-"));
                execFileSync("git", ["init", "-q", before]);
                take(before, first);
                // Git knows no empty folders, and deletes none to make room.
                const empty = ["-type", "d", "-empty", "-not", "-path", "*/.git/*", "-delete"];
                execFileSync("find", [before, "-mindepth", "1", ...empty]);
                const after = copyOf(before);
                take(after, second);
                const { changes, contents } = changesBetween(before, after);
                const modeOf = (name: string) => changes.get(name)?.modeBefore;
                const patch = patchOf(await changeSetOf(changes, contents), modeOf);
                if (patch.length > 0) apply(before, patch);
                expect(treeIn(before)).to.deep.equal(treeIn(after));
                fs.rmSync(before, { recursive: true });
                fs.rmSync(path.dirname(after), { recursive: true });
            }),
            { numRuns: PROPERTY_RUNS }
        );
    });

    for (const [what, { before, after }] of Object.entries(CASES)) {
        it(`git apply turns the project into the draft, byte for byte: ${what}`, () => {
            for (const [name, content] of Object.entries(before)) write(folder, name, content);
            const patch = patchOf({ changes: changesOf(before, after) }, (name) =>
                isExecutable(before[name]) ? 0o755 : 0o644
            );
            apply(folder, patch);
            expect(treeIn(folder)).to.deep.equal(
                Object.fromEntries(Object.entries(after).map(([name, each]) => [name, shown(each)]))
            );
        });
    }
});

function apply(folder: string, patch: Buffer): void {
    execFileSync("git", ["apply", "--whitespace=nowarn", "-"], {
        cwd: folder,
        input: patch,
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    });
}

function isExecutable(content: string | Buffer | undefined): boolean {
    return typeof content === "string" && content.startsWith("#!");
}

function isLink(content: string | Buffer | undefined): content is string {
    return typeof content === "string" && content.startsWith("->");
}

function shown(content: string | Buffer): string {
    const mode = isLink(content) ? "link" : isExecutable(content) ? "executable" : "file";
    return `${mode} ${Buffer.from(bytesOf(content)).toString("latin1")}`;
}

function bytesOf(content: string | Buffer): Buffer {
    return isLink(content) ? Buffer.from(content.slice(2)) : Buffer.from(content);
}

function write(root: string, name: string, content: string | Buffer): void {
    const file = path.join(root, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    if (isLink(content)) return fs.symlinkSync(content.slice(2), file);
    fs.writeFileSync(file, bytesOf(content), { mode: isExecutable(content) ? 0o755 : 0o644 });
}

function changesOf(before: Tree, after: Tree): FileChange[] {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name): FileChange[] => {
        const [old, fresh] = [before[name], after[name]];
        const [was, is] = [old && bytesOf(old), fresh && bytesOf(fresh)];
        if (old !== undefined && fresh !== undefined && shown(old) === shown(fresh)) return [];
        const type = isLink(fresh ?? old) ? ({ type: "link" } as const) : {};
        const isReplaced =
            old !== undefined && fresh !== undefined && isLink(old) !== isLink(fresh);
        const typeBefore = isLink(old) ? "link" : "file";
        return [
            {
                path: name,
                ...type,
                ...(isReplaced && { typeBefore }),
                before: old === undefined ? null : Buffer.from(was ?? ""),
                beforeHash: old === undefined ? null : sha256(Buffer.from(was ?? "")),
                after: fresh === undefined ? null : Buffer.from(is ?? ""),
                ...(fresh !== undefined &&
                    !isLink(fresh) && { mode: isExecutable(fresh) ? 0o755 : 0o644 }),
            },
        ];
    });
}

function treeIn(root: string): Record<string, string> {
    // Without types Node follows links, here also those to the folder they are in.
    const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true });
    return Object.fromEntries(
        entries.flatMap((entry) => {
            const file = path.join(entry.parentPath, entry.name);
            const name = path.relative(root, file);
            if (entry.isDirectory() || /^\.git(?:\/|$)/.test(name)) return [];
            if (entry.isSymbolicLink()) return [[name, `link ${fs.readlinkSync(file)}`]];
            const mode = (fs.lstatSync(file).mode & 0o100) === 0 ? "file" : "executable";
            return [[name, `${mode} ${fs.readFileSync(file, "latin1")}`]];
        })
    );
}
