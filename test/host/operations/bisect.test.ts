import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { bisect, type Bisected, firstFailure } from "../../../src/host/operations/bisect.js";
import { EditedRepository } from "../../helpers/edited-repository.js";
import { patient } from "../../helpers/patience.js";

describe("Bisecting a conversation", () => {
    let repository: EditedRepository;
    beforeEach(() => (repository = new EditedRepository()));
    afterEach(() => repository.remove());

    async function turns(...files: readonly Readonly<Record<string, string | null>>[]) {
        for (const [index, each] of files.entries()) {
            repository.say(`turn ${index + 1}`);
            await repository.edit(each);
        }
    }

    /** Every byte and mode below the root, git's own included. */
    function fingerprint(): string {
        const hash = createHash("sha256");
        const names = fs.readdirSync(repository.root, { recursive: true, encoding: "utf8" });
        for (const name of names.sort()) {
            const place = path.join(repository.root, name);
            const { mode, mtimeMs } = fs.lstatSync(place);
            hash.update(`${name} ${mode} ${mtimeMs}\n`);
            if (fs.lstatSync(place).isFile()) hash.update(fs.readFileSync(place));
        }
        return hash.digest("hex");
    }

    async function find(command: string, progress: string[] = []): Promise<Bisected> {
        await repository.store();
        const { top, data } = repository;
        const directories = {
            config: path.join(top, "config"),
            data,
            state: path.join(top, "state"),
        };
        return bisect({
            id: repository.id,
            command,
            timeoutMs: patient(20_000),
            directories,
            environment: { PATH: process.env.PATH, HOME: path.join(top, "home") },
            signal: new AbortController().signal,
            progress: (text) => void progress.push(text),
        });
    }

    it("A search asks for at most 7 of 65 states and is always right", async () => {
        for (let planted = 0; planted <= 65; planted += 1) {
            let tests = 0;
            const found = await firstFailure(65, async (index) => {
                tests += 1;
                return index < planted;
            });
            expect(found).to.equal(planted);
            expect(tests).to.be.at.most(7);
        }
    });

    it("The planted turn of 64 is found in 7 runs at most, and the project and git are untouched", async () => {
        execFileSync("git", ["init", "-q"], { cwd: repository.root });
        const text = (index: number) => `line ${index}\n${index >= 41 ? "planted\n" : ""}`;
        await turns(
            ...Array.from({ length: 64 }, (_, index) =>
                index % 3 === 0
                    ? { "a.txt": text(index + 1), [`f${index}`]: "new\n" }
                    : { "a.txt": text(index + 1) }
            )
        );
        const before = fingerprint();
        const found = await find("! grep -q planted a.txt");
        expect(found).to.include({ result: "turn", turn: 41, question: "turn 41" });
        expect(found.runs).to.be.at.most(7);
        const [change] = found.changeSet.changes;
        expect(change?.path).to.equal("a.txt");
        expect(Buffer.from(change?.after ?? []).toString()).to.equal("line 41\nplanted\n");
        expect(fingerprint()).to.equal(before);
    });

    it("Created, deleted and executable files are as they were after each turn", async () => {
        await turns(
            { "run.sh": "exit 0\n" },
            { "dir/new": "1\n", "run.sh": null },
            { "dir/new": null }
        );
        const found = await find("[ -f run.sh ] || [ ! -e dir/new ]");
        expect(found).to.include({ result: "turn", turn: 2 });
        expect(found.changeSet.changes.map((change) => change.path)).to.have.members([
            "run.sh",
            "dir/new",
        ]);
    });

    it("An edit of somebody else between two turns is named as such", async () => {
        await turns({ a: "1\n" });
        repository.write("a", "1\nbroken\n");
        repository.say("turn 2");
        await repository.edit({ a: "1\nbroken\n2\n" });
        expect(await find("! grep -q broken a")).to.include({ result: "others", turn: 2 });
    });

    it("An edit of somebody else after the last turn is named as such", async () => {
        await turns({ a: "1\n" }, { a: "2\n" });
        repository.write("a", "broken\n");
        const found = await find("! grep -q broken a");
        expect(found).to.include({ result: "others" }).and.not.have.property("turn");
        expect(found.changeSet.changes.map((change) => change.path)).to.deep.equal(["a"]);
    });

    it("A command that never fails, and one that fails from the start, blame no turn", async () => {
        await turns({ a: "1\n" }, { a: "2\n" });
        expect(await find("true")).to.include({ result: "never-fails" });
        repository.remove();
        repository = new EditedRepository();
        await turns({ a: "1\n" }, { a: "2\n" });
        expect(await find("false")).to.include({ result: "fails-from-the-start" });
    });

    it("A command that cannot run is an error and no result", async () => {
        await turns({ a: "1\n" });
        const message = await find("no-such-program").then(
            () => "",
            (error: Error) => error.message
        );
        expect(message).to.contain("the command could not run");
    });
});
