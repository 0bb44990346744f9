import { execFileSync } from "node:child_process";
import { expect } from "chai";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createGrants } from "../../../src/storage/grants/grants.js";
import { settleProjectFolder } from "../../../src/storage/grants/project-folder.js";
import {
    declineLearning,
    isLearningDeclined,
    readProfile,
    writeProfile,
} from "../../../src/storage/profile.js";
import { expectError } from "../expect-error.js";
import { temporaryFolder } from "../temporary-folder.js";

const COMMAND = { command: "npm test", cwd: "" };

describe("What is known of one clone", () => {
    const folder = temporaryFolder();
    const root = () => path.join(folder(), "root");
    const data = () => path.join(folder(), "data");
    const allowed = async () =>
        (await createGrants({ root: root(), dataFolder: data() }).snapshot()).allowedCommands;

    function makeClone(permissions?: string): void {
        mkdirSync(root());
        execFileSync("git", ["init", "-q"], { cwd: root() });
        if (permissions === undefined) return;
        mkdirSync(path.join(root(), ".north"));
        writeFileSync(path.join(root(), ".north", "allowlist.json"), permissions);
    }

    async function allow(): Promise<string> {
        await createGrants({ root: root(), dataFolder: data() }).allowCommand(COMMAND);
        return readFileSync(path.join(root(), ".north", "allowlist.json"), "utf8");
    }

    it("A permission does not count in another repository at the same path.", async () => {
        makeClone();
        const permissions = await allow();
        expect(await allowed()).to.deep.equal([COMMAND]);

        rmSync(root(), { recursive: true });
        makeClone(permissions);
        expect(await allowed()).to.deep.equal([]);
        await createGrants({ root: root(), dataFolder: data() }).allowCommand({
            command: "ls",
            cwd: "",
        });
        expect(await allowed()).to.deep.equal([{ command: "ls", cwd: "" }]);
    });

    it("A permission still counts where the clone was moved away and back.", async () => {
        makeClone();
        await allow();
        renameSync(root(), `${root()}-elsewhere`);
        renameSync(`${root()}-elsewhere`, root());
        expect(await allowed()).to.deep.equal([COMMAND]);
    });

    it("A permission does not count in another folder without git at the same path.", async () => {
        mkdirSync(root());
        const permissions = await allow();
        expect(await allowed()).to.deep.equal([COMMAND]);

        renameSync(root(), `${root()}-before`);
        mkdirSync(path.join(root(), ".north"), { recursive: true });
        writeFileSync(path.join(root(), ".north", "allowlist.json"), permissions);
        expect(await allowed()).to.deep.equal([]);
    });

    it("A worktree and its repository have permissions of their own.", async () => {
        const main = path.join(folder(), "main");
        const git = (...words: string[]) =>
            execFileSync("git", ["-c", "user.name=N", "-c", "user.email=n@x", ...words], {
                cwd: main,
            });
        mkdirSync(main);
        git("init", "-q");
        git("commit", "-q", "--allow-empty", "-m", "first");
        git("worktree", "add", "-q", root());
        await allow();
        expect(await allowed()).to.deep.equal([COMMAND]);
        expect(readdirSync(path.join(main, ".git", "worktrees", "root"))).to.include("north-id");
    });

    it("The profile and a declined offer do not pass on to another repository.", async () => {
        makeClone();
        await writeProfile(data(), root(), "# About it\n");
        await declineLearning(data(), root(), 0);
        expect(await readProfile(data(), root())).to.equal("# About it");

        rmSync(root(), { recursive: true });
        makeClone();
        expect(await readProfile(data(), root())).to.equal(undefined);
        expect(await isLearningDeclined(data(), root())).to.equal(false);
    });

    it("While clone.json cannot be read nothing counts, and what is known stays.", async () => {
        makeClone();
        await allow();
        const [project = ""] = readdirSync(path.join(data(), "projects"));
        const file = path.join(data(), "projects", project, "clone.json");
        renameSync(file, `${file}.away`);
        mkdirSync(file);
        expect(await allowed()).to.deep.equal([]);
        await expectError(allow, "not-readable");
        renameSync(`${file}.away`, `${file}.back`);
        rmSync(file, { recursive: true });
        renameSync(`${file}.back`, file);
        expect(await allowed()).to.deep.equal([COMMAND]);
    });

    it("A damaged clone.json is reported as that, and what was known is moved aside.", async () => {
        makeClone();
        await allow();
        const [project = ""] = readdirSync(path.join(data(), "projects"));
        const file = path.join(data(), "projects", project, "clone.json");
        writeFileSync(file, "{bad");
        const said: string[] = [];
        await settleProjectFolder({ root: root(), dataFolder: data() }, (each) => said.push(each));
        expect(said).to.deep.equal([
            `${file} is damaged: earlier permissions and the learned profile do not apply.`,
        ]);
        expect(await allowed()).to.deep.equal([]);
    });

    it("Another repository at the same path is reported once, and what was known is moved aside.", async () => {
        makeClone();
        await allow();
        rmSync(root(), { recursive: true });
        makeClone();
        const said: string[] = [];
        const place = { root: root(), dataFolder: data() };
        for (let start = 1; start <= 2; start += 1) {
            await settleProjectFolder(place, (warning) => said.push(warning));
        }
        expect(said).to.have.length(1);
        expect(said[0]).to.contain("Another repository");
        const aside = readdirSync(path.join(data(), "projects"));
        expect(aside.filter((name) => name.includes(".former-"))).to.have.length(1);
    });
});
