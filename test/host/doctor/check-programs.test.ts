import { expect } from "chai";
import { readFileSync } from "node:fs";
import { checkNode } from "../../../src/host/doctor/checks.js";

describe("checkNode", () => {
    it("A line of Node without security fixes is a warning from the day after its last", async () => {
        const lastDay = Date.parse("2026-04-30T23:00:00Z");
        expect(await checkNode("v20.20.2", lastDay)).to.include({ status: "ok" });
        const after = await checkNode("v20.20.2", Date.parse("2026-05-01"));
        expect(after).to.include({
            status: "warning",
            found: "20.20.2, no security fixes since 2026-04-30",
        });
        expect(after.next).to.contain("Node 24");
        expect(await checkNode("v24.21.0", Date.parse("2026-05-01"))).to.include({ status: "ok" });
        expect(await checkNode("v26.10.0")).to.include({ status: "ok" });
    });

    it("A Node older than 20.19 is broken, whatever the day", async () => {
        expect(await checkNode("v20.18.3", 0)).to.include({ status: "broken", found: "20.18.3" });
    });

    it("The action and the image of docs/ci.md bring a Node that still gets security fixes", async () => {
        const versionIn = (file: string, pattern: RegExp) =>
            pattern.exec(readFileSync(file, "utf8"))?.[1];
        for (const version of [
            versionIn("action.yml", /node-version: (\d+)/),
            versionIn("docs/ci.md", /^FROM node:(\d+)/m),
        ]) {
            const check = await checkNode(`v${version}.0.0`, Date.parse("2026-05-01"));
            expect(check, version).to.include({ status: "ok" });
        }
    });
});
