import { readdirSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import {
    coreWithoutMachine,
    noFileCycles,
    noFolderCycles,
    noRoomWithoutRules,
    oneWriterOfErrors,
    onlyKnownRooms,
    packagesInTheirRooms,
    shallowFolders,
    shortFunctions,
    smallFiles,
    smallInterfaces,
    type Rule,
    type SourceFile,
} from "./helpers/architecture-rules.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const sources: readonly SourceFile[] = readdirSync(path.join(root, "src"), {
    recursive: true,
    encoding: "utf8",
})
    .filter((name) => name.endsWith(".ts"))
    .map((name) => ({
        path: `src/${name.split(path.sep).join("/")}`,
        text: readFileSync(path.join(root, "src", name), "utf8"),
    }));

function interfaceOf(name: string, members: number): string {
    const lines = Array.from({ length: members }, (_, index) => `m${index}: string;`);
    return `interface ${name} { ${lines.join(" ")} }`;
}

/** Each rule, and files that break it, by path. */
const RULES: readonly (readonly [string, Rule, readonly Readonly<Record<string, string>>[]])[] = [
    [
        "A room imports only the rooms it may know.",
        onlyKnownRooms,
        [
            { "src/host/a.ts": 'import { builtin } from "../builtin/index.js";' },
            { "src/core/a/b.ts": 'export * from "../../storage/config.js";' },
            { "src/plugin/a.ts": 'type A = typeof import("../core/log.js");' },
            { "src/base/a.ts": 'const a = await import("../plugin/index.js");' },
        ],
    ],
    ["No room is without rules.", noRoomWithoutRules, [{ "src/attic/a.ts": "" }]],
    [
        "Packages stay in the rooms they belong to.",
        packagesInTheirRooms,
        [
            { "src/core/a.ts": 'import type { Response } from "openai/resources";' },
            { "src/host/a.ts": 'import OpenAI from "openai";' },
            { "src/host/b.ts": 'const { default: ora } = await import("ora");' },
            { "src/storage/a.ts": 'import { Config } from "@oclif/core";' },
            { "src/core/b.ts": 'import readline from "node:readline/promises";' },
            { "src/chat/a.ts": 'import { spawn } from "@lydell/node-pty";' },
            { "src/host/c.ts": 'import { Entry } from "@napi-rs/keyring";' },
        ],
    ],
    [
        "The core uses no files, no processes and no terminal.",
        coreWithoutMachine,
        [
            { "src/core/a.ts": 'import fs from "node:fs/promises";' },
            { "src/core/b.ts": "export const a = process.env.HOME;" },
        ],
    ],
    [
        "Standard error has one writer, which escapes what it prints.",
        oneWriterOfErrors,
        [
            { "src/host/a.ts": "process.stderr.write(`${name}\\n`);" },
            { "src/host/b.ts": "ux.warn(name);" },
            { "src/chat/print/a.ts": "writeSync(2, name);" },
        ],
    ],
    [
        "No files import each other in a cycle, not even types.",
        noFileCycles,
        [
            {
                "src/core/a.ts": 'import type { B } from "./b.js";',
                "src/core/b.ts": 'import type { A } from "./a.js";',
            },
        ],
    ],
    [
        "No folders of a room import each other in a cycle.",
        noFolderCycles,
        [
            {
                "src/host/one/a.ts": 'import "../two/b.js";',
                "src/host/two/c.ts": 'import "../three/d.js";',
                "src/host/three/e.ts": 'import "../one/f.js";',
            },
            {
                "src/core/agent/one/a.ts": 'import "../two/b.js";',
                "src/core/agent/two/c.ts": 'import "../one/d.js";',
            },
            {
                "src/core/agent/turn/a.ts": 'import type { B } from "../../history/b.js";',
                "src/core/history/b.ts": 'const c = await import("../agent/c.js");',
            },
        ],
    ],
    [
        "No file has more than 350 lines, no command more than 80.",
        smallFiles,
        [{ "src/core/a.ts": "\n".repeat(351) }, { "src/commands/a.ts": "\n".repeat(81) }],
    ],
    [
        "No interface has more than 20 members, inherited ones included.",
        smallInterfaces,
        [
            { "src/core/a.ts": interfaceOf("Many", 21) },
            {
                "src/core/a.ts": `${interfaceOf("Some", 20)} interface All extends Some { last: 1 }`,
            },
            {
                "src/core/a.ts": interfaceOf("Base", 20),
                "src/host/b.ts": "export interface Whole extends Base { readonly last: string }",
            },
        ],
    ],
    ["No folder is deeper than three below src.", shallowFolders, [{ "src/a/b/c/d/e.ts": "" }]],
    [
        "No function has more than 70 lines.",
        shortFunctions,
        [{ "src/core/a.ts": `function a() {${"\n".repeat(70)}}` }],
    ],
];

describe("Architecture", () => {
    for (const [name, rule, breaches] of RULES) {
        it(name, () => expect(rule(sources)).to.deep.equal([]));

        for (const breach of breaches) {
            const planted = Object.entries(breach).map(([file, text]) => ({ path: file, text }));
            it(`${name.slice(0, -1)}: ${Object.keys(breach).join(", ")} would fail.`, () =>
                expect(rule(planted)).to.have.lengthOf(1));
        }
    }

    it("The contract holds no code but its errors", () => {
        const barrel = readFileSync(path.join(root, "src", "plugin", "index.ts"), "utf8");
        const values = barrel.split("\n").filter((line) => /^export (?!type )/.test(line));
        expect(values).to.deep.equal([
            'export { isExpectedError, NorthError, type NorthErrorOptions } from "../base/north-error.js";',
        ]);
    });

    it("The oclif manifest is fresh.", () => {
        const fresh = execFileSync(process.execPath, ["scripts/manifest.js"], {
            cwd: root,
            encoding: "utf8",
        });
        expect(readFileSync(path.join(root, "oclif.manifest.json"), "utf8")).to.equal(fresh);
    });
});
