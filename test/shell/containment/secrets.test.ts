import { execFileSync } from "node:child_process";
import { expect } from "chai";
import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { git, makeFolder, writeTree } from "../../workspace/make-folder.js";
import { ContainedProject, describeContained } from "./contained.js";
import { usersToTry, WatchedPlace } from "./watched-place.js";

const WITH_PASSWORD = "https://ada:hunter2token@git.example/shop.git";

/** In HOME, where toolchains are shown. */
const TOOLCHAINS = {
    ".cargo/config.toml": '[build]\ntarget-dir = "out"\n[registry]\ntoken = "ciohunter2"\n',
    ".gradle/init.d/a.gradle": 'credentials { password = "hunter2" }\n',
    ".m2/settings.xml": "<password>hunter2</password>\n",
    ".gitconfig": `[user]\n\tname = Ada\n[remote "x"]\n\turl = ${WITH_PASSWORD}\n`,
    ".dotnet/corefx/cryptography/x509stores/my/a.pfx": "hunter2\n",
    ".stack/upload/credentials.json": "hunter2\n",
    ".asdf/.docker/config.json": '{"auths": {"x": {"auth": "aHVudGVyMg=="}}}\n',
    ".nvm/.env": "A=hunter2\n",
};

describeContained("secrets", () => {
    for (const user of usersToTry()) {
        const who = user === 0 ? "root" : `user ${user}`;
        /** What a command prints in a prepared project. */
        const printed = (command: string, prepare: (root: string) => void) => {
            const place = new WatchedPlace(user, prepare);
            try {
                const [line] = place.run([command]);
                expect(line?.outcome.exitCode, line?.outcome.stderr).to.equal(0);
                expect(line?.effects).to.deep.equal([]);
                expect(line?.refusal).to.equal(undefined);
                return line?.outcome.stdout;
            } finally {
                place.remove();
            }
        };

        it(`Secrets are hidden in dependencies, below any folder, and in copies, as ${who}`, () => {
            const prepare = (root: string) => {
                writeTree(root, {
                    "node_modules/a/.env": "A=hunter2",
                    "node_modules/b/index.js": "module.exports = 'seen'",
                    ".venv/lib/.env~": "A=hunter2",
                    "certs/ca.pem": "-----BEGIN CERTIFICATE-----\nseen",
                    "certs/own.pem": "-----BEGIN PRIVATE KEY-----\nhunter2",
                    ".dev.vars": "A=hunter2",
                });
                const odd = Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0xff, 0xfe)]);
                mkdirSync(odd);
                writeFileSync(Buffer.concat([odd, Buffer.from("/.env")]), "A=hunter2");
            };
            const stdout = printed("grep -r . . 2>/dev/null; true", prepare);
            expect(stdout).not.to.contain("hunter");
            expect(stdout).to.contain("certs/ca.pem").and.contain("index.js");
        });

        it(`Git works without the credentials in its settings, and sees no change, as ${who}`, () => {
            const prepare = (root: string) => {
                writeTree(root, {
                    ".npmrc": "//registry.example/:_authToken=npmhunter2\n",
                    "extra.inc": `[remote "two"]\n\turl = ${WITH_PASSWORD}\n`,
                });
                const header = "AUTHORIZATION: basic aHVudGVyMg==";
                git(root, "remote", "add", "origin", WITH_PASSWORD);
                git(root, "config", "http.https://git.example/.extraheader", header);
                git(root, "config", "credential.helper", "!echo password=hunter2");
                git(root, "config", "include.path", "../extra.inc");
                git(root, "config", `url.${WITH_PASSWORD}.insteadOf`, "shop:");
                // Git reads files that are as new as its index.
                for (const name of [".env", ".npmrc", "a.txt", "extra.inc"]) {
                    utimesSync(path.join(root, name), 1e9, 1e9);
                }
                git(root, "add", "-A");
                git(root, "commit", "-qm", "All");
            };
            const command =
                "git remote -v; git status --porcelain; git config --list; cat .git/config extra.inc .npmrc";
            const stdout = printed(command, prepare);
            expect(stdout).to.contain("origin\thttps://git.example/shop.git (fetch)\n");
            expect(stdout).to.contain("two\thttps://git.example/shop.git (fetch)\n");
            expect(stdout).to.contain(";/registry.example/:_authToken=xxx");
            expect(stdout).not.to.match(/hunter|aHVudGVy|^ M/m);
        });

        it(`Git's settings have no credentials in a worktree, as ${who}`, () => {
            const prepare = (root: string) => {
                const main = path.join(root, "../main");
                mkdirSync(main);
                git(main, "init", "--quiet");
                git(main, "commit", "-q", "--allow-empty", "-m", "First");
                git(main, "remote", "add", "origin", WITH_PASSWORD);
                rmSync(root, { recursive: true });
                git(main, "worktree", "add", "-q", root);
            };
            const stdout = printed("git remote -v; git status --porcelain", prepare);
            expect(stdout).to.contain("https://git.example/shop.git (fetch)");
            expect(stdout).not.to.contain("hunter");
        });

        it(`Git's settings have no credentials in a nested repository, as ${who}`, () => {
            const prepare = (root: string) => {
                const nested = path.join(root, "vendor/nested");
                mkdirSync(nested, { recursive: true });
                git(nested, "init", "--quiet");
                git(nested, "remote", "add", "origin", WITH_PASSWORD);
            };
            const stdout = printed("git -C vendor/nested remote -v", prepare);
            expect(stdout).to.contain("https://git.example/shop.git (fetch)");
            expect(stdout).not.to.contain("hunter");
        });

        it(`Credentials in toolchains are hidden, and their settings still count, as ${who}`, () => {
            const prepare = (root: string) => writeTree(path.join(root, "../.."), TOOLCHAINS);
            const command =
                "cd; cat .cargo/config.toml; git config --global user.name; git config --global --list; grep -r . .[a-z]* 2>/dev/null; true";
            const stdout = printed(command, prepare);
            expect(stdout).to.contain('target-dir = "out"').and.contain("Ada\n");
            expect(stdout).to.contain("remote.x.url=https://git.example/shop.git");
            expect(stdout).not.to.match(/hunter|aHVudGVy/);
        });
    }

    it("A credential written into settings between two commands is hidden from the second", async () => {
        const project = await ContainedProject.make({ ".npmrc": "save-exact=true\n" });
        expect((await project.run("cat .npmrc")).outcome.stdout).to.equal("save-exact=true\n");
        writeTree(project.root, {
            ".npmrc": "save-exact=true\n//registry.example/:_authToken=npmhunter2\n",
        });
        const { outcome } = await project.run("cat .npmrc");
        expect(outcome.stdout).to.contain("save-exact=true\n;/registry.example/:_authToken=xxx");
        expect(outcome.stdout).not.to.contain("hunter");
    });

    it("A secret added to a folder whose mtime was restored is hidden from the next command", async () => {
        const project = await ContainedProject.make({ "conf/a.txt": "a\n" });
        const folder = path.join(project.root, "conf");
        const keeper = makeFolder();
        execFileSync("touch", ["-r", folder, keeper]);
        // Until the folder counts as settled.
        await sleep(100);
        await project.run("true");
        writeTree(project.root, { "conf/.env": "TOKEN=hunter2\n" });
        execFileSync("touch", ["-r", keeper, folder]);
        const { outcome } = await project.run("cat conf/.env");
        expect(outcome.stdout).not.to.contain("hunter");
    });

    it("A command that rewrites settings without their credential has to run for real", async () => {
        const project = await ContainedProject.make({
            ".npmrc": "//registry.example/:_authToken=npmhunter2\n",
        });
        const { refusal } = await project.run("echo save-exact=true >>.npmrc");
        expect(refusal?.what).to.equal("hidden-file");
    });

    it("Settings may include what is no file: below a file, too long, or a folder", async () => {
        const included = ["a.txt/b", "x".repeat(5_000), "src"];
        const project = await ContainedProject.make({
            ...{ "a.txt": "a\n", "src/b.txt": "b\n" },
            ".gitconfig": included.map((each) => `[include]\n\tpath = ${each}\n`).join(""),
        });
        expect((await project.run("cat src/b.txt")).outcome.stdout).to.equal("b\n");
    });
});
