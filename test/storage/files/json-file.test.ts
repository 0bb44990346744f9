import { expect } from "chai";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readJson, updateJson } from "../../../src/storage/files/json-file.js";
import { expectError } from "../expect-error.js";
import { temporaryFolder } from "../temporary-folder.js";

/** More than `JSON.stringify` can write again. */
const NESTED = `{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`;

describe("readJson", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "store.json");

    it("An absent file, a value and damage are distinguished", async () => {
        expect(await readJson(file())).to.deep.equal({ kind: "absent" });
        writeFileSync(file(), '\uFEFF{"a": 1}');
        expect(await readJson(file())).to.deep.include({ kind: "value", value: { a: 1 } });
        for (const text of ["", "\n", '{"a": ', "[1]", "null", "\0\0\0", NESTED]) {
            writeFileSync(file(), text);
            expect(await readJson(file()), text.slice(0, 20)).to.have.property("kind", "corrupt");
        }
    });

    it("A folder is not an absent file", async () => {
        await expectError(() => readJson(folder()), "not-readable");
    });

    if (process.platform === "linux") {
        it("A file that the disk cannot read is an expected failure", async () => {
            // Reading its first bytes fails with EIO, as on a disk with damage.
            symlinkSync("/proc/self/mem", file());
            const { message } = await expectError(() => readJson(file()), "not-readable");
            expect(message).to.equal(`North cannot read ${file()} (i/o error).`);
        });
    }
});

describe("updateJson", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "store.json");

    it("Other fields are kept", async () => {
        writeFileSync(file(), '{"mine": {"deep": [1]}, "count": 1}');
        await updateJson(file(), { report: expect.fail }, (value) => (value.count = 2));
        expect(JSON.parse(readFileSync(file(), "utf8"))).to.deep.equal({
            mine: { deep: [1] },
            count: 2,
        });
    });

    it("A corrupt file is set aside with its content and reported", async () => {
        writeFileSync(file(), '{"precious": ');
        const warnings: string[] = [];
        const report = (warning: string) => warnings.push(warning);
        await updateJson(file(), { report }, (value) => (value.count = 1));
        expect(JSON.parse(readFileSync(file(), "utf8"))).to.deep.equal({ count: 1 });
        const aside = readdirSync(folder()).filter((name) => name.includes(".corrupt-"));
        expect(aside).to.have.length(1);
        expect(readFileSync(path.join(folder(), aside[0]!), "utf8")).to.equal('{"precious": ');
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.contain(file()).and.to.contain(aside[0]);
    });
});
