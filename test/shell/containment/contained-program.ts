/**
 * Runs commands contained, as whoever starts it. Arguments: root, HOME, then the commands; prints one
 * line of JSON for each. With `--hang` the first command is left running until this is killed.
 */
import { readFileSync } from "node:fs";

import type { Limits } from "../../../src/shell/containment/containment.js";
import { openContainment } from "../../../src/shell/containment/open-containment.js";
import { optionsFor } from "./contained.js";
import { pictureOf } from "./picture.js";
import { patient } from "../../helpers/patience.js";

const {
    root,
    home,
    commands,
    announce,
    top,
    limits,
    timeoutMs = patient(15_000),
    show = [],
    hiddenFolders = [],
    searchPath = process.env.PATH ?? "",
} = JSON.parse(readFileSync(0, "utf8")) as {
    root: string;
    home: string;
    commands: string[];
    announce?: boolean;
    /** The folder of which every file is compared after each command. */
    top?: string;
    limits?: Partial<Limits>;
    timeoutMs?: number;
    show?: string[];
    hiddenFolders?: string[];
    searchPath?: string;
};

function picture(): readonly string[] {
    return top === undefined ? [] : pictureOf(top);
}

async function main(): Promise<void> {
    const opened = await openContainment({
        ...optionsFor(root, home),
        environment: { ...process.env, HOME: home, PATH: searchPath },
        hiddenFolders,
        settings: { show, hide: [], ...(limits ? { limits } : {}) },
    });
    if (opened.kind === "unavailable") {
        process.stdout.write(`${JSON.stringify({ unavailable: opened.reason })}\n`);
        return;
    }
    const variables = new Map([
        ["PATH", searchPath],
        ["HOME", home],
        ["GITHUB_TOKEN", "hunter2"],
    ]);
    const before = picture();
    let folder = root;
    for (const command of commands) {
        if (announce) process.stdout.write("begin\n");
        const { signal } = new AbortController();
        const state = { folder, variables, definitions: "" };
        const run = await opened.containment.run({ command, state, timeoutMs, signal });
        const { outcome, refusal } = run;
        const git = (run.repository?.shown.changes ?? []).map(({ what }) => what);
        folder = run.folder;
        const effects = run.effects.map((effect) => effect.path);
        const changed = picture().find((line) => !before.includes(line));
        process.stdout.write(
            `${JSON.stringify({ command, outcome, refusal, effects: [...git, ...effects], changed, folder })}\n`
        );
    }
    await opened.containment.dispose();
}

void main();
