import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isExpectedError } from "../../src/base/north-error.js";
import { sampledRuns } from "../helpers/sample.js";

/** How often a property is tried; more when somebody looks for trouble. */
export const PROPERTY_RUNS = Number(process.env.NORTH_PROPERTY_RUNS ?? sampledRuns(60));

/** File contents by relative path. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** A fresh folder; HOME is the temporary folder that goes when the tests end. */
export function makeFolder(tree: Tree = {}): string {
    const parent = process.env.HOME ?? tmpdir();
    const root = realpathSync(mkdtempSync(path.join(parent, "folder-")));
    writeTree(root, tree);
    return root;
}

/** A fresh folder that is a git repository without a commit. */
export function makeRepository(tree: Tree = {}): string {
    const root = makeFolder(tree);
    git(root, "init", "--quiet");
    return root;
}

export function writeTree(root: string, tree: Tree): void {
    for (const [name, content] of Object.entries(tree)) {
        const file = path.join(root, name);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, content);
    }
}

export function git(root: string, ...commandLine: string[]): string {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
    return execFileSync("git", [...identity, ...commandLine], {
        cwd: root,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
    });
}

/** The code with which something is refused; fails for anything but an expected error. */
export async function refusal(work: () => unknown): Promise<string> {
    try {
        await work();
    } catch (error) {
        if (isExpectedError(error)) return error.code;

        throw error;
    }
    return "accepted";
}
