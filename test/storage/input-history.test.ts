import { expect } from "chai";
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { createInputHistory } from "../../src/storage/input-history.js";
import { runChildren } from "./children.js";
import { temporaryFolder } from "./temporary-folder.js";

describe("Input history", () => {
    const folder = temporaryFolder();
    const historyOf = (root: string) => createInputHistory({ dataFolder: folder(), root });
    const file = () => {
        const [name = ""] = readdirSync(path.join(folder(), "history"));
        return path.join(folder(), "history", name);
    };

    it("Input is remembered per project, line breaks included", async () => {
        const history = historyOf("/a");
        expect(await history.load()).to.deep.equal([]);
        for (const text of ["one", "two\nlines", "two\nlines", "  ", "one"]) {
            await history.append(text);
        }

        expect(await historyOf("/a").load()).to.deep.equal(["one", "two\nlines", "one"]);
        expect(await historyOf("/b").load()).to.deep.equal([]);
        expect(statSync(file()).mode & 0o777).to.equal(0o600);
    });

    it("The last thousand inputs are kept, so the file stays bounded", async () => {
        const history = historyOf("/a");
        await history.append("first");
        const lines = Array.from({ length: 1250 }, (_, index) => `"${index}"\n`);
        appendFileSync(file(), lines.join(""));
        expect(await history.load()).to.have.length(1000);
        await history.append("last");
        const entries = await history.load();
        expect(entries).to.have.length(1000);
        expect(entries.at(0)).to.equal("251");
        expect(entries.at(-1)).to.equal("last");
        expect(readFileSync(file(), "utf8").trimEnd().split("\n")).to.have.length(1000);
    });

    it("Damaged and torn lines are skipped", async () => {
        const history = historyOf("/a");
        await history.append("one");
        appendFileSync(file(), '{"x": 1}\n"two\n\n"tor');
        await history.append("three");
        expect(await history.load()).to.deep.equal(["one", "three"]);
    });

    it("Several processes lose no input", async () => {
        const names = ["a", "b", "c", "d"];
        const task = { do: "type", root: "/a", dataFolder: folder(), times: 25 } as const;
        await runChildren(names.map((name) => ({ ...task, name })));
        const expected = names.flatMap((name) =>
            Array.from({ length: 25 }, (_, time) => `${name} ${time}`)
        );
        expect(await historyOf("/a").load()).to.have.members(expected);
    });
});
