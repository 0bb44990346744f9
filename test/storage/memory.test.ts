import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { createGrants } from "../../src/storage/grants/grants.js";
import { createMemoryStore } from "../../src/storage/memory.js";
import { runChildren } from "./children.js";
import { expectError } from "./expect-error.js";
import { temporaryFolder } from "./temporary-folder.js";

describe("Memory", () => {
    const folder = temporaryFolder();
    const root = () => path.join(folder(), "repository");
    const dataFolder = () => path.join(folder(), "data");
    const reported: string[] = [];
    const opened = (place: string, data: string) => {
        const options = {
            root: place,
            dataFolder: data,
            report: (warning: string) => void reported.push(warning),
        };
        return createMemoryStore({ ...options, notes: createGrants(options) });
    };
    const open = (place = root()) => opened(place, dataFolder());

    beforeEach(() => {
        reported.length = 0;
        mkdirSync(root());
    });

    it("An entry belongs to one project or to all", async () => {
        await open().add({ scope: "global", text: "Be brief" });
        await open().add({ scope: "project", text: " Use tabs " });
        expect(await open().list()).to.deep.equal([
            { scope: "project", text: "Use tabs" },
            { scope: "global", text: "Be brief" },
        ]);
        const other = path.join(folder(), "other");
        mkdirSync(other);
        expect(await open(other).list()).to.deep.equal([{ scope: "global", text: "Be brief" }]);
    });

    it("An entry is kept once and can be removed", async () => {
        const entry = { scope: "project", text: "Use tabs" } as const;
        await open().add(entry);
        await open().add(entry);
        expect(await open().list()).to.have.length(1);
        expect(await open().remove(entry)).to.equal(true);
        expect(await open().remove(entry)).to.equal(false);
        expect(await open().list()).to.deep.equal([]);
    });

    it("Empty and very long entries are refused", async () => {
        for (const text of ["  ", "x".repeat(2_001)]) {
            await expectError(() => open().add({ scope: "global", text }), "invalid-memory");
        }
    });

    it("Edits by hand and unknown fields are kept", async () => {
        mkdirSync(path.join(root(), ".north"));
        const file = path.join(root(), ".north", "memory.json");
        writeFileSync(file, JSON.stringify({ entries: ["By hand", 7], mine: true }));
        await open().add({ scope: "project", text: "Added" });
        // What North did not write here counts once it is allowed, as with permissions.
        expect((await open().list()).map(({ text }) => text)).to.deep.equal(["Added"]);
        expect(JSON.parse(readFileSync(file, "utf8"))).to.deep.include({ mine: true });
    });

    it("A damaged memory file is set aside", async () => {
        mkdirSync(path.join(root(), ".north"));
        writeFileSync(path.join(root(), ".north", "memory.json"), "{nonsense");
        expect(await open().list()).to.deep.equal([]);
        await open().add({ scope: "project", text: "New" });
        expect(reported.filter((text) => text.includes(".corrupt-"))).to.have.length(1);
        const [ignored, kept, aside = ""] = readdirSync(path.join(root(), ".north"));
        expect([ignored, kept]).to.deep.equal([".gitignore", "memory.json"]);
        expect(aside).to.contain(".corrupt-");
    });

    it("A damaged memory of all projects is reported once, and kept until it is changed", async () => {
        const file = path.join(dataFolder(), "memory.json");
        mkdirSync(dataFolder());
        writeFileSync(file, "{nonsense");
        const memory = open();
        expect(await memory.list()).to.deep.equal([]);
        await memory.list();
        expect(reported).to.have.length(1);
        expect(reported[0]).to.contain(file);
        expect(readFileSync(file, "utf8")).to.equal("{nonsense");
    });

    it("Memory is neither read nor written through a link out of the repository", async () => {
        const outside = path.join(folder(), "outside");
        mkdirSync(outside);
        writeFileSync(path.join(outside, "memory.json"), JSON.stringify({ entries: ["Evil"] }));
        symlinkSync(outside, path.join(root(), ".north"));
        expect(await open().list()).to.deep.equal([]);
        await expectError(() => open().add({ scope: "project", text: "x" }), "unsafe-grants-file");
        expect(readdirSync(outside)).to.deep.equal(["memory.json"]);
    });

    it("A home folder that is the project itself has one list", async () => {
        const home = opened(folder(), path.join(folder(), ".north"));
        await home.add({ scope: "project", text: "Once" });
        expect(await home.list()).to.deep.equal([{ scope: "global", text: "Once" }]);
    });

    it("Entries by several processes at once are all kept", async () => {
        const names = ["a", "b", "c", "d"];
        const task = { do: "remember", times: 10, root: root(), dataFolder: dataFolder() } as const;
        await runChildren(names.map((name) => ({ ...task, name })));
        const expected = names.flatMap((name) =>
            Array.from({ length: 10 }, (_, time) => `${name} ${time}`)
        );
        const texts = (await open().list()).map(({ text }) => text);
        expect(texts).to.have.members(expected);
    });
});
