// Run as a process of its own (bundled by apply-program.ts), so that it can be killed.
import processes from "node:child_process";
import fs from "node:fs";
import promises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { createChangeApplier } from "../../../src/workspace/apply/apply-change-set.js";
import type { RepositoryPlan } from "../../../src/base/repository-plan.js";
import { applyGitChanges } from "../../../src/workspace/apply/apply-git-changes.js";
import { change, changeSet, hashOf, journalIn } from "./apply-fixture.js";

const [, , task, root = "", journalFolder = "", argument = ""] = process.argv;
const applier = createChangeApplier(
    journalFolder === "" ? { root } : { root, journal: journalIn(journalFolder) }
);

/** Every call that changes something on the disk, also through a handle, is one step. */
async function killBeforeStep(step: number): Promise<void> {
    let steps = 0;
    const count = <Target extends object>(
        target: Target,
        names: readonly (keyof Target)[]
    ): void => {
        for (const name of names) {
            const original = target[name];
            if (typeof original !== "function") throw new Error(`No function ${String(name)}.`);
            const counted = function (this: unknown, ...values: unknown[]): unknown {
                steps += 1;
                if (steps === step) process.kill(process.pid, "SIGKILL");
                return Reflect.apply(original, this, values);
            };
            Object.assign(target, { [name]: counted });
        }
    };
    const handle = await promises.open(root);
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    count(fs, ["linkSync", "renameSync", "openSync", "symlinkSync", "rmSync"]);
    count(fs, ["copyFileSync", "writeFileSync", "mkdirSync", "rmdirSync"]);
    count(processes, ["execFile"]);
    count(promises, [
        "open",
        "link",
        "copyFile",
        "mkdir",
        "unlink",
        "rename",
        "rmdir",
        "rm",
        "symlink",
    ]);
    count(prototype, ["writeFile", "appendFile", "chmod", "sync"]);
    // For whoever imports them by name.
    syncBuiltinESMExports();
}

async function applyOnce(): Promise<void> {
    await killBeforeStep(Number(argument));
    await applier.apply(
        changeSet(
            { ...change("a", "old a", "new a"), mode: 0o755 },
            change("sub/b", "old b", "new b"),
            change("made/deep/c", null, "new c"),
            change("d", "old d", null),
            change("link", "old e", "new e"),
            { ...change("folder", "", "real/e"), type: "link", typeBefore: "folder" },
            change("folder/f", "old f", null),
            { ...change("flat", "old g", ""), type: "folder", typeBefore: "file" },
            change("flat/deep/g", null, "new g")
        )
    );
}

/** The same on a file system without hard links, such as exFAT. */
async function applyWithoutLinks(): Promise<void> {
    const fail = () => {
        throw Object.assign(new Error("no links"), { code: "EPERM" });
    };
    fs.linkSync = fail;
    promises.link = async () => fail();
    await applyOnce();
}

/** The same in a container whose image has the project: none of its folders can be renamed. */
async function applyInImage(): Promise<void> {
    const { renameSync } = fs;
    fs.renameSync = (from, to) => {
        const isOwn = path.basename(String(from)).startsWith(".north-");
        if (!isOwn && fs.lstatSync(from).isDirectory()) {
            throw Object.assign(new Error("no folders"), { code: "EXDEV" });
        }
        renameSync(from, to);
    };
    await applyOnce();
}

/** Writes files and takes a plan over, as after a contained command. */
async function takeOver(): Promise<void> {
    const plan = JSON.parse(fs.readFileSync(path.join(root, "../plan.json"), "utf8"));
    const changes = [
        { ...change("a", "old a", "new a"), mode: 0o755 },
        change("sub/b", null, "new b"),
        change("d", "old d", null),
    ];
    await killBeforeStep(Number(argument));
    await applyGitChanges(root, plan as RepositoryPlan, journalIn(path.join(root, "../taking")), {
        changes,
        write: () => applier.apply({ changes }),
    });
}

async function applyForever(): Promise<void> {
    process.stdout.write("ready\n");
    for (let version = 0; ; version++) {
        const texts = [version, version + 1].map((number) => String(number).repeat(20_000));
        const [before = "", after = ""] = texts;
        await applier.apply(
            changeSet(...["x", "y", "sub/z"].map((file) => change(file, before, after)))
        );
    }
}

async function increment(): Promise<void> {
    for (let done = 0; done < Number(argument);) {
        const before = fs.readFileSync(path.join(root, "counter"), "utf8");
        const outcome = await applier.apply(
            changeSet(change("counter", before, String(Number(before) + 1)))
        );
        if (outcome.kind === "applied") done += 1;
    }
}

/** Turns a folder into a link to another and back as fast as it can. */
function swapForever(): void {
    const [folder, link] = [path.join(root, "sub"), path.join(root, "link-to-outside")];
    const aside = path.join(root, "aside");
    process.stdout.write("ready\n");
    const steps = [
        [folder, aside],
        [link, folder],
        [folder, link],
        [aside, folder],
    ] as const;
    for (let isOrderly = true; ;) {
        try {
            if (!isOrderly) {
                const names = [folder, aside, link];
                names.forEach((name) => fs.rmSync(name, { recursive: true, force: true }));
                fs.mkdirSync(folder, { recursive: true });
                fs.symlinkSync(path.join(root, "..", "outside"), link);
            }
            steps.forEach(([from, to]) => fs.renameSync(from, to));
            isOrderly = true;
        } catch {
            // While the folder was away the applier made it anew, or wrote into what was being removed.
            isOrderly = false;
        }
    }
}

/** Leaves a staged file behind, as a killed process without a journal does. */
async function leaveStaged(): Promise<void> {
    const before = fs.readFileSync(path.join(root, "a"), "utf8");
    fs.linkSync = () => process.kill(process.pid, "SIGKILL");
    promises.link = () => Promise.resolve(void process.kill(process.pid, "SIGKILL"));
    syncBuiltinESMExports();
    await applier.apply(changeSet({ ...change("a", before, "new"), beforeHash: hashOf(before) }));
}

const tasks: Record<string, () => void | Promise<void>> = {
    applyOnce,
    applyWithoutLinks,
    applyInImage,
    applyForever,
    increment,
    swapForever,
    leaveStaged,
    takeOver,
};
void tasks[task ?? ""]?.();
