import { cpSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { readConfig } from "../../src/storage/config.js";
import { readJournal } from "../../src/storage/conversations/open-journal.js";
import { createLedger } from "../../src/storage/costs/ledger.js";
import { createGrants } from "../../src/storage/grants/grants.js";
import { temporaryFolder } from "./temporary-folder.js";

const fixtures = fileURLToPath(new URL("../fixtures/storage/", import.meta.url));
const fixture = (name: string) => readFileSync(path.join(fixtures, name), "utf8");

// Written by the version of 2026-11-22, with each kind of record and all fields it knew.
describe("files of an earlier version", () => {
    const folder = temporaryFolder();
    const copied = (name: string, to = name) => {
        const target = path.join(folder(), to);
        mkdirSync(path.dirname(target), { recursive: true });
        cpSync(path.join(fixtures, name), target);
        return target;
    };

    it("A log is read whole, without a warning", async () => {
        const { records, warnings } = await readJournal(copied("conversation.jsonl"));
        expect(warnings).to.deep.equal([]);
        const lines = fixture("conversation.jsonl").trim().split("\n");
        expect(records).to.deep.equal(lines.map((line): unknown => JSON.parse(line)));
    });

    it("Settings are read as they are", async () => {
        copied("config.json");
        expect(await readConfig(folder())).to.deep.equal(JSON.parse(fixture("config.json")));
    });

    it("Costs are read from the summary and from the records", async () => {
        copied("costs.jsonl");
        copied("costs.json");
        const warnings: string[] = [];
        const ledger = createLedger({
            dataFolder: folder(),
            report: (text) => warnings.push(text),
        });
        expect((await ledger.allTime()).costUsd).to.equal(0.75);
        const rows = await ledger.query({ by: "model" });
        expect(rows.map(({ key, costUsd, requests }) => [key, costUsd, requests])).to.deep.equal([
            ["sonnet", 0.75, 2],
            ["local", 0, 1],
        ]);
        await ledger.summarize();
        expect(warnings).to.deep.equal([]);
    });

    it("Grants are found, to be confirmed where this machine did not give them", async () => {
        for (const name of ["allowlist.json", "autoaccept.json", "permissions.json"]) {
            copied(name, `.north/${name}`);
        }
        const warnings: string[] = [];
        const grants = createGrants({
            root: folder(),
            dataFolder: path.join(folder(), "data"),
            report: (text) => warnings.push(text),
        });
        const found = await grants.unconfirmed();
        expect(found.map(({ text }) => text)).to.deep.equal([
            "run `npm test` at the root",
            "run `make` in sub",
            "apply every edit",
            "allow host:example.org",
        ]);
        for (const grant of found) await grants.confirm(grant);
        expect(await grants.unconfirmed()).to.deep.equal([]);
        expect(warnings).to.deep.equal([]);
    });
});
