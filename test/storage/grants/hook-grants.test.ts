import { expect } from "chai";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createGrants } from "../../../src/storage/grants/grants.js";
import { placesNamed } from "../../../src/storage/grants/hook-grants.js";
import { readHooks } from "../../../src/storage/hook-settings.js";
import { temporaryFolder } from "../temporary-folder.js";

const setting = (handler: object, event = "PreToolUse") => ({
    [event]: [{ matcher: "Bash", hooks: [{ type: "command", ...handler }] }],
});

describe("Trust in hooks", () => {
    const folder = temporaryFolder();
    const root = () => path.join(folder(), "root");
    const put = (file: string, content: string) => {
        mkdirSync(path.dirname(path.join(root(), file)), { recursive: true });
        writeFileSync(path.join(root(), file), content);
    };
    const bring = (handler: object, event?: string) =>
        put(".north/hooks.json", JSON.stringify({ hooks: setting(handler, event) }));
    const open = (own?: object) =>
        createGrants({
            root: root(),
            dataFolder: path.join(folder(), "data"),
            hooks: readHooks(own).hooks,
        });
    const allowAll = async (grants = open()) => {
        for (const grant of await grants.unconfirmed()) await grants.confirm(grant);
    };
    const suspended = async (grants = open()) =>
        (await grants.hooks()).map((hook) => hook.suspended);
    beforeEach(() => mkdirSync(root()));

    it("A repository's hook is suspended when a file it names changes, and counts again as it was", async () => {
        for (const handler of [
            { command: "sh scripts/after.sh" },
            { command: "cd scripts && ./after.sh" },
            { command: '"$CLAUDE_PROJECT_DIR"/scripts/after.sh --fix' },
            { command: "bash -c 'sh scripts/after.sh'" },
            { command: "node --require=./scripts/after.sh x" },
            { command: "bash", args: ["${CLAUDE_PROJECT_DIR}/scripts/after.sh"] },
        ]) {
            const what = JSON.stringify(handler);
            put("scripts/after.sh", "true\n");
            bring(handler);
            expect(await suspended(), what).to.deep.equal([]);
            await allowAll();
            expect(await suspended(), what).to.deep.equal([undefined]);
            put("scripts/after.sh", "evil\n");
            expect(await suspended(), what).to.deep.equal([
                "scripts/after.sh changed since you allowed it",
            ]);
            const [shown] = await open().unconfirmed();
            expect(shown?.text).to.contain("with scripts/after.sh as now");
            put("scripts/after.sh", "true\n");
            expect(await suspended(), what).to.deep.equal([undefined]);
            rmSync(path.join(folder(), "data"), { recursive: true });
        }
    });

    it("The arguments of a program are shown and are part of the permission", async () => {
        bring({ command: "bash", args: ["-c", "true"] });
        const [shown] = await open().unconfirmed();
        expect(shown?.text).to.contain('["bash","-c","true"]');
        await allowAll();
        expect(await suspended()).to.deep.equal([undefined]);
        bring({ command: "bash", args: ["-c", "evil"] });
        expect(await open().hooks()).to.deep.equal([]);
    });

    it("Denying a changed file turns its hook off until the file changes again", async () => {
        put("a.sh", "1");
        bring({ command: "./a.sh" });
        await allowAll();
        put("a.sh", "2");
        const grants = open();
        for (const grant of await grants.unconfirmed()) await grants.decline(grant);
        expect(await open().hooks()).to.deep.equal([]);
        put("a.sh", "3");
        expect(await suspended()).to.have.length(1);
    });

    it("The user's own hook runs at once, unless the repository provides a file of it", async () => {
        const own = setting({ command: "./check.sh" });
        expect(await suspended(open(setting({ command: "true" })))).to.deep.equal([undefined]);
        expect(await suspended(open(own))).to.deep.equal([undefined]);
        put("check.sh", "evil\n");
        expect(await suspended(open(own))).to.deep.equal(["it uses check.sh of this repository"]);
        const [shown] = await open(own).unconfirmed();
        expect(shown).to.include({
            path: "config.json",
            text: "run your hook `./check.sh` on each PreToolUse of Bash, with check.sh as now",
        });
        await allowAll(open(own));
        expect(await suspended(open(own))).to.deep.equal([undefined]);
        put("check.sh", "more evil\n");
        expect(await suspended(open(own))).to.deep.equal(["check.sh changed since you allowed it"]);
    });

    it("The files a hook names include those that do not exist yet and what a link leads to", () => {
        const places = (command: string) =>
            placesNamed({ event: "Stop", matcher: "", command, seconds: 1 }, root());
        put("real/a.sh", "");
        symlinkSync("real/a.sh", path.join(root(), "link.sh"));
        expect(places("sh link.sh")).to.include.members(["link.sh", "real/a.sh"]);
        expect(places("./later.sh")).to.include("later.sh");
        expect(places(`sh "a b.sh"; sh c\\ d.sh`)).to.include.members(["a b.sh", "c d.sh"]);
        expect(places("sh ../outside.sh /etc/passwd")).not.to.include.members(["../outside.sh"]);
    });
});
