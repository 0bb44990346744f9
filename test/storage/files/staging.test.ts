import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { createStaging, stagingFolder } from "../../../src/storage/files/staging.js";
import { expectError } from "../expect-error.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("Staging of streamed files", () => {
    const folder = temporaryFolder();
    const open = (id = "abc123") => createStaging(stagingFolder(folder(), id));

    it("Each chunk is in the file once it is appended", () => {
        const staging = open();
        staging.begin("src/deep/a.ts");
        staging.append("src/deep/a.ts", "one\n");
        staging.append("src/deep/a.ts", "grüß 👋🏽");
        expect(readFileSync(staging.place("src/deep/a.ts"), "utf8")).to.equal("one\ngrüß 👋🏽");
        expect(staging.read("src/deep/a.ts")).to.equal("one\ngrüß 👋🏽");
    });

    it("A staged text is found by conversation in the next process", () => {
        open().begin("b.ts");
        open().begin("a/c.ts");
        open().append("a/c.ts", "x");
        expect(open().paths()).to.deep.equal(["a/c.ts", "b.ts"]);
        expect(open().read("a/c.ts")).to.equal("x");
        expect(open("fff000").paths()).to.deep.equal([]);
        expect(open("fff000").read("a/c.ts")).to.equal(undefined);
    });

    it("Staging again replaces the earlier text", () => {
        const staging = open();
        staging.begin("a.ts");
        staging.append("a.ts", "old");
        staging.begin("a.ts");
        expect(staging.read("a.ts")).to.equal("");
    });

    it("Chunks appended before a kill survive", () => {
        const script = `
            import { createStaging } from ${JSON.stringify(path.resolve("src/storage/files/staging.ts"))};
            const staging = createStaging(process.argv[1]);
            staging.begin("a.ts");
            staging.append("a.ts", "one\\ntw");
            process.kill(process.pid, "SIGKILL");`;
        const args = ["--import", "tsx", "--input-type=module", "-e", script];
        expect(() =>
            execFileSync(process.execPath, [...args, stagingFolder(folder(), "abc123")])
        ).to.throw("SIGKILL");
        expect(open().read("a.ts")).to.equal("one\ntw");
    });

    it("Removing a text removes only it and the folders left empty", () => {
        const staging = open();
        staging.begin("src/deep/a.ts");
        staging.begin("src/b.ts");
        staging.remove("src/deep/a.ts");
        expect(staging.paths()).to.deep.equal(["src/b.ts"]);
        expect(existsSync(path.dirname(staging.place("src/deep/a.ts")))).to.equal(false);
        staging.remove("src/b.ts");
        staging.remove("src/b.ts");
        expect(existsSync(stagingFolder(folder(), "abc123"))).to.equal(false);
        expect(existsSync(path.join(folder(), "staging"))).to.equal(true);
    });

    it("Staged files are private", () => {
        const staging = open();
        staging.begin("a/b.ts");
        expect(statSync(staging.place("a/b.ts")).mode & 0o777).to.equal(0o600);
        expect(statSync(path.dirname(staging.place("a/b.ts"))).mode & 0o777).to.equal(0o700);
    });

    it("Staging writes nowhere else: not by `..`, an absolute path or a link", async () => {
        const staging = open();
        const other = path.join(folder(), "other.txt");
        writeFileSync(other, "kept");
        for (const bad of ["../../other.txt", other, "", "."]) {
            expect(() => staging.begin(bad)).to.throw(TypeError);
        }

        mkdirSync(stagingFolder(folder(), "abc123"), { recursive: true });
        symlinkSync(other, staging.place("link"));
        await expectError(() => staging.begin("link"), "not-writable");
        expect(readFileSync(other, "utf8")).to.equal("kept");
        expect(staging.paths()).to.deep.equal([]);
    });

    it("A folder in the way is reported", async () => {
        const staging = open();
        staging.begin("a/b.ts");
        await expectError(() => staging.begin("a"), "not-writable");
        await expectError(() => open().begin("a/b.ts/c"), "not-writable");
        expect(staging.read("a")).to.equal(undefined);
    });
});
