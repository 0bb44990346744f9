import { cachedDataVersionTag } from "node:v8";
import { expect } from "chai";
import { readCommand } from "../../../src/code/commands/read-command.js";

describe("readCommand", () => {
    it("Reading a command leaves V8's flags as they were, on which code caches depend", async () => {
        const tag = cachedDataVersionTag();
        await readCommand("ls");
        expect(cachedDataVersionTag()).to.equal(tag);
    });

    it("A command line that takes too long to parse is reported as incomplete", async () => {
        await readCommand("ls");
        // Short enough, with few signs, and quadratic.
        const { facts, isComplete } = await readCommand("case --".repeat(2_700), undefined, 100);
        expect({ facts, isWhole: isComplete }).to.deep.equal({ facts: [], isWhole: false });
    });

    it("What an option writes is known with an equals sign in its name", async () => {
        const { facts } = await readCommand("wget --output-document=../a=b http://localhost/");
        const words = facts.flatMap((fact) => (fact.kind === "files" ? fact.words : []));
        expect(words.map(({ text }) => text)).to.deep.equal(["../a=b"]);
    });

    it("A program named like a member of every object is read like any other", async () => {
        const kinds = async (name: string) => {
            const { facts } = await readCommand(`${name} -x test; npm ${name} -C test`);
            return facts.map(({ kind }) => kind);
        };
        for (const name of ["constructor", "valueOf", "__proto__"]) {
            expect(await kinds(name)).to.deep.equal(await kinds("unknown"));
        }
    });

    it("A long line of equal words is read whole", async () => {
        const { isComplete } = await readCommand(`git ${"-c ".repeat(6_000)}`);
        expect(isComplete).to.equal(true);
    });
});
