import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { NorthError } from "../../base/north-error.js";
import { absoluteSearchPath, findProgram } from "../../base/search-path.js";
import { canMoveCursor, type Terminal } from "./terminal.js";

/** Lets pagers show colours, as git does, unless the user has set these. */
const PAGER_DEFAULTS: NodeJS.ProcessEnv = { LESS: "R", LV: "-c" };

type Lender = Pick<Terminal, "lend" | "environment">;

/** A file to edit. Its extension tells the editor the language. */
interface EditedFile {
    readonly name: string;
    readonly content: Uint8Array;
}

/** The user's editor, chosen as git does. */
function editorOf({ VISUAL, EDITOR }: NodeJS.ProcessEnv): string {
    return VISUAL?.trim() || EDITOR?.trim() || "vi";
}

/** Opens the editor; resolves with the edited contents. Rejects with `editor-failed`. */
export async function editFiles(
    lender: Lender,
    files: readonly EditedFile[]
): Promise<readonly Uint8Array[]> {
    return inFolder(async (folder) => {
        // Of several files called `index.ts`, the folders tell which is which.
        const paths = files.map(({ name }, index) =>
            path.join(
                folder,
                files.length === 1
                    ? path.basename(name)
                    : `${index + 1}-${name.replaceAll("/", "-").slice(-60)}`
            )
        );
        for (const [index, file] of files.entries()) {
            await writeFile(paths[index] ?? folder, file.content, { mode: 0o600 });
        }
        const editor = editorOf(lender.environment);
        const failed = (how: string) =>
            new NorthError("editor-failed", `The editor (${editor}) ${how}.`, [
                "Set EDITOR to your editor's command; nothing changed.",
            ]);
        if ((await run(lender, editor, paths)) !== 0) throw failed("failed");
        return Promise.all(paths.map((file) => readFile(file))).catch(() => {
            throw failed("left no readable file");
        });
    });
}

/** The same for one text, without the line break that editors add at its end. */
export async function editText(lender: Lender, name: string, text: string): Promise<string> {
    const [edited] = await editFiles(lender, [{ name, content: new TextEncoder().encode(text) }]);
    return new TextDecoder().decode(edited).replace(/(?<!\n)\n+$/, "");
}

/** The pager for long texts; `undefined` if there is none or the user disabled it. */
export async function findPager(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
    const { PAGER, PATH = "" } = environment;
    if (!canMoveCursor(environment)) return undefined;
    if (PAGER !== undefined) return ["", "cat"].includes(PAGER.trim()) ? undefined : PAGER;
    return findProgram("less", absoluteSearchPath(PATH)) && "less -R";
}

export async function page(lender: Lender, pager: string, text: string): Promise<void> {
    await inFolder(async (folder) => {
        const file = path.join(folder, "changes.diff");
        await writeFile(file, text, { mode: 0o600 });
        await run(lender, pager, [file], PAGER_DEFAULTS);
    });
}

async function inFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
    const folder = await mkdtemp(path.join(tmpdir(), "north-text-"));
    try {
        return await work(folder);
    } finally {
        await rm(folder, { recursive: true, force: true });
    }
}

/** `$EDITOR` and `$PAGER` hold command lines, so a shell must split them. */
function run(
    { lend }: Lender,
    command: string,
    files: readonly string[],
    defaults: NodeJS.ProcessEnv = {}
): Promise<number> {
    return lend(
        (environment) =>
            new Promise((resolve) => {
                const child = spawn("/bin/sh", ["-c", `${command} "$@"`, command, ...files], {
                    stdio: "inherit",
                    env: {
                        ...defaults,
                        ...environment,
                        PATH: absoluteSearchPath(environment.PATH),
                    },
                });
                child.once("error", () => resolve(127));
                child.once("close", (code) => resolve(code ?? 1));
            })
    );
}
