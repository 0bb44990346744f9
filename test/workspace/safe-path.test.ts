import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, realpathSync, symlinkSync } from "node:fs";
import path from "node:path";
import { openRegularFile, readAll } from "../../src/workspace/open-file.js";
import { relativePath, resolveInside } from "../../src/workspace/safe-path.js";
import { makeFolder, refusal } from "./make-folder.js";

/** Puts a link that leads out in place of the folder `a`, and takes it away, until it is ended. */
const SWAP = `
    const fs = require("node:fs");
    process.stderr.write("ready");
    for (;;) {
        fs.renameSync("a", "b");
        fs.symlinkSync(process.argv[1], "a");
        fs.unlinkSync("a");
        fs.renameSync("b", "a");
    }`;

async function readOnce(root: string, name: string): Promise<string> {
    let content = "";
    const code = await refusal(async () => {
        const file = await openRegularFile(root, name);
        content = Buffer.from((await readAll(file)).bytes).toString();
        await file.handle.close();
    });
    return code === "accepted" ? content : code;
}

describe("relativePath", () => {
    const root = "/home/somebody/project";

    for (const [given, expected] of [
        ["", ""],
        [".", ""],
        ["a/b", "a/b"],
        ["./a//b/", "a/b"],
        ["a/../b", "b"],
        ["..a/b", "..a/b"],
        [root, ""],
        [`${root}/a/b`, "a/b"],
        ["a\\b", "a\\b"],
    ] as const) {
        it(`The relative path of "${given}" is "${expected}"`, () => {
            expect(relativePath(root, given)).to.equal(expected);
        });
    }

    for (const given of [
        "..",
        "../x",
        "a/../../x",
        "/etc/passwd",
        `${root}-other/x`,
        "a\0b",
        "/",
    ]) {
        it(`The path ${JSON.stringify(given)} is refused`, async () => {
            expect(await refusal(() => relativePath(root, given))).to.equal("outside-repository");
        });
    }
});

describe("resolveInside", () => {
    let root: string;
    let elsewhere: string;

    before(() => {
        elsewhere = makeFolder({ "secret.txt": "s", "folder/file": "f" });
        root = makeFolder({ "a/file.txt": "x", "b/other.txt": "y" });
        symlinkSync(path.join(elsewhere, "secret.txt"), path.join(root, "file-out"));
        symlinkSync(path.join(elsewhere, "folder"), path.join(root, "folder-out"));
        symlinkSync(path.join(elsewhere, "not-there-yet"), path.join(root, "dangling-out"));
        symlinkSync("dangling-out", path.join(root, "chain"));
        symlinkSync("a/file.txt", path.join(root, "file-in"));
        symlinkSync("a", path.join(root, "folder-in"));
        symlinkSync("a/later.txt", path.join(root, "dangling-in"));
        symlinkSync("loop", path.join(root, "loop"));
        symlinkSync("../../..", path.join(root, "a/up"));
    });

    for (const given of [
        "file-out",
        "folder-out",
        "folder-out/file",
        "folder-out/not/there",
        "dangling-out",
        "dangling-out/below",
        "chain",
        "a/up/etc/passwd",
    ]) {
        it(`The path ${given} leads out and is refused`, async () => {
            const code = await refusal(() => resolveInside(root, given));
            expect(code).to.equal("outside-repository");
        });
    }

    it("Links that stay inside are followed", async () => {
        expect(await resolveInside(root, "folder-in/file.txt")).to.deep.equal({
            path: "folder-in/file.txt",
            absolute: path.join(root, "a/file.txt"),
            exists: true,
        });
        expect(await resolveInside(root, "dangling-in")).to.deep.equal({
            path: "dangling-in",
            absolute: path.join(root, "a/later.txt"),
            exists: false,
        });
    });

    it("A missing path is reported, also below an existing folder or file", async () => {
        for (const given of ["a/new/file.txt", "a/file.txt/below"]) {
            expect(await resolveInside(root, given)).to.deep.equal({
                path: given,
                absolute: path.join(root, given),
                exists: false,
            });
        }
    });

    it("A link to itself is refused", async () => {
        expect(await refusal(() => resolveInside(root, "loop"))).to.equal("not-found");
    });
});

describe("openRegularFile", () => {
    it("A file is opened through a link that stays inside, with its real path", async () => {
        const root = makeFolder({ "a/file.txt": "content" });
        symlinkSync("a", path.join(root, "link"));
        const file = await openRegularFile(root, "link/file.txt");
        try {
            expect(file.path).to.equal("link/file.txt");
            expect(file.absolute).to.equal(realpathSync(path.join(root, "a/file.txt")));
            expect(Buffer.from((await readAll(file)).bytes).toString()).to.equal("content");
        } finally {
            await file.handle.close();
        }
    });

    it("Nothing outside is read while the folder is swapped", async () => {
        const outside = makeFolder({ "file.txt": "outside" });
        const root = makeFolder({ "a/file.txt": "inside" });
        const swapper = spawn(process.execPath, ["-e", SWAP, outside], { cwd: root });
        const seen = new Map<string, number>();
        try {
            await once(swapper.stderr, "data");
            for (let round = 0; round < 400; round++) {
                const outcome = await readOnce(root, "a/file.txt");
                seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
            }
        } finally {
            swapper.kill("SIGKILL");
            await once(swapper, "close");
        }
        const possible = ["inside", "outside-repository", "not-found", "not-readable"];
        expect(possible).to.include.members([...seen.keys()]);
    });

    it("A folder is refused", async () => {
        const root = makeFolder();
        mkdirSync(path.join(root, "folder"));
        expect(await refusal(() => openRegularFile(root, "folder"))).to.equal("not-a-file");
    });
});
