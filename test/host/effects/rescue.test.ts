import { execFileSync } from "node:child_process";
import {
    chmodSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    realpathSync,
    rmSync,
    statSync,
    symlinkSync,
    readlinkSync,
    truncateSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { forecastCommand } from "../../../src/host/effects/forecast-command.js";
import { keepFiles, restoreRescue } from "../../../src/host/effects/rescue.js";
import { createObjectStore } from "../../../src/storage/files/object-store.js";
import { removeUnnamedObjects } from "../../../src/storage/files/object-sweep.js";
import { createRescueStore } from "../../../src/storage/files/rescue-store.js";

describe("What a command does away with", () => {
    let base: string;
    let root: string;
    const bytes = Buffer.from([0, 255, 10, 13, 128]);

    beforeEach(() => {
        base = realpathSync(mkdtempSync(path.join(tmpdir(), "north-rescue-")));
        root = path.join(base, "project");
        mkdirSync(path.join(root, "build", "deep"), { recursive: true });
        writeFileSync(path.join(root, "build/deep/tool"), bytes);
        chmodSync(path.join(root, "build/deep/tool"), 0o751);
        symlinkSync("deep/tool", path.join(root, "build/link"));
    });
    afterEach(() => rmSync(base, { recursive: true, force: true }));

    function place() {
        const data = path.join(base, "data");
        const rescues = createRescueStore(data, root, () => {});
        return { data, rescues, contents: createObjectStore(data) };
    }
    const lossesOf = async (command: string) =>
        (await forecastCommand(command, { root, cwd: root, isRepository: false })).losses;

    const kept = (files: string, them: string) =>
        new RegExp(
            `^Kept: ${files} not in git\\. /rescue restores ${them}, in a shell \`north rescue restore [0-9a-f]{6}\`\\.$`
        );

    it("What is kept is listed with the minute in the user's time zone", () => {
        const script = `
            import { rescueLine } from "./src/host/effects/rescue.ts";
            const at = Date.parse("2026-11-22T20:00:00Z");
            console.log(rescueLine({ id: "3fa2c1", at, command: "rm a", files: [] }));
        `;
        const options = ["--import=tsx", "--input-type=module", "--eval", script];
        const env = { ...process.env, TZ: "Asia/Kolkata" };
        const line = execFileSync(process.execPath, options, { env, encoding: "utf8" });
        expect(line).to.equal("3fa2c1  2026-11-23 01:30  0 files  rm a\n");
    });

    it("Files and links come back byte for byte and with their mode", async () => {
        const settle = await keepFiles(await lossesOf("rm -rf build"), "rm -rf build", place());
        rmSync(path.join(root, "build"), { recursive: true });
        expect(await settle()).to.match(kept("2 files", "them"));
        const [rescue] = await place().rescues.list();
        expect(await restoreRescue(rescue!, place())).to.have.lengthOf(2);
        expect(readFileSync(path.join(root, "build/deep/tool"))).to.deep.equal(bytes);
        expect(statSync(path.join(root, "build/deep/tool")).mode & 0o7777).to.equal(0o751);
        expect(readlinkSync(path.join(root, "build/link"))).to.equal("deep/tool");
    });

    it("A command that may free a full disk runs although its losses cannot be listed", async () => {
        const { rescues, contents } = place();
        const full = Object.assign(new Error("full"), { code: "ENOSPC", errno: -28 });
        const add = () => Promise.reject(full);
        const stores = { rescues: { ...rescues, add }, contents };
        const settle = await keepFiles(await lossesOf("rm -rf build"), "rm -rf build", stores);
        rmSync(path.join(root, "build"), { recursive: true });
        expect(await settle()).to.match(/^2 files could not be kept: .*space/);
    });

    it("A file that the command left as it was is not kept", async () => {
        const settle = await keepFiles(await lossesOf("rm -rf build"), "false", place());
        expect(await settle()).to.equal(undefined);
        expect(await place().rescues.list()).to.deep.equal([]);
    });

    it("What a rescue replaces is kept in turn", async () => {
        const file = path.join(root, "build/deep/tool");
        const settle = await keepFiles(await lossesOf("echo > build/deep/tool"), "echo", place());
        writeFileSync(file, "newer");
        expect(await settle()).to.match(kept("1 file", "it"));
        const [first] = await place().rescues.list();
        await restoreRescue(first!, place());
        const [, second] = await place().rescues.list();
        await restoreRescue(second!, place());
        expect(readFileSync(file, "utf8")).to.equal("newer");
    });

    it("What is too large is not kept, and North says so", async () => {
        truncateSync(path.join(root, "build/deep/tool"), 100_000_001);
        const settle = await keepFiles(await lossesOf("rm -rf build"), "rm", place());
        rmSync(path.join(root, "build"), { recursive: true });
        expect(await settle()).to.contain("1 file could not be kept");
    });

    it("The setting says how much is kept, and the sentence names it", async () => {
        const file = path.join(root, "build/deep/tool");
        truncateSync(file, 100_000_001);
        const keep = async (maxMegabytes: number) =>
            keepFiles(await lossesOf("rm build/deep/tool"), "rm", { ...place(), maxMegabytes });
        const none = await keep(0);
        const all = await keep(101);
        rmSync(file);
        expect(await none()).to.contain("0 MB (rescueMegabytes in config.json)");
        expect(await all())
            .to.contain("Kept: 1 file")
            .and.not.to.contain("could not");
    });

    it("The object sweep leaves what can be rescued", async () => {
        const settle = await keepFiles(await lossesOf("rm -rf build"), "rm -rf build", place());
        rmSync(path.join(root, "build"), { recursive: true });
        await settle();
        const [rescue] = await place().rescues.list();
        const unnamed = await place().contents.put(Buffer.from("nobody names this"));
        for (const hash of [unnamed, ...rescue!.files.map((file) => file.hash)]) {
            utimesSync(path.join(place().data, "objects", hash.slice(0, 2), hash.slice(2)), 1, 1);
        }
        expect(await removeUnnamedObjects(place().data)).to.equal(1);
        expect(await restoreRescue(rescue!, place())).to.have.lengthOf(2);
    });
});
