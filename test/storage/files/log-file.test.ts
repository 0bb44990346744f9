import { expect } from "chai";
import {
    existsSync,
    mkdirSync,
    readFileSync,
    statSync,
    truncateSync,
    writeFileSync,
} from "node:fs";
import path from "node:path";
import { openLog } from "../../../src/storage/files/log-file.js";
import { temporaryFolder } from "../temporary-folder.js";

describe("Log file", () => {
    const folder = temporaryFolder();
    const file = () => path.join(folder(), "state", "north.log");
    const events = () =>
        readFileSync(file(), "utf8")
            .trimEnd()
            .split("\n")
            .map((line) => JSON.parse(line));
    const open = (options: Partial<Parameters<typeof openLog>[0]> = {}) =>
        openLog({ stateFolder: path.join(folder(), "state"), level: "info", ...options });

    it("Each event is one JSON line", () => {
        const log = open({ now: () => new Date("2026-11-22T10:00:00.000Z") });
        log.event("info", "app_start", { version: "0.1.0", pid: 7 });
        log.event("error", "tool_call_complete");
        log.close();
        log.event("info", "app_exit");
        const timestamp = "2026-11-22T10:00:00.000Z";
        expect(events()).to.deep.equal([
            { timestamp, level: "info", event: "app_start", data: { version: "0.1.0", pid: 7 } },
            { timestamp, level: "error", event: "tool_call_complete", data: {} },
        ]);
        expect(statSync(file()).mode & 0o777).to.equal(0o600);
    });

    it("Debug events are logged only on request", () => {
        open().event("info", "kept");
        open().event("debug", "dropped");
        open({ level: "debug" }).event("debug", "detail");
        expect(events().map(({ event }) => event)).to.deep.equal(["kept", "detail"]);
    });

    it("A key is never logged, wherever it stands", () => {
        const given = "the-key-in-use";
        const secrets = [
            "sk-ant-REDACTED",
            "Bearer abc.def-123",
            "ghp_0123456789abcdef",
            "AIzaSyA0123456789_abcdefgh-XYZ",
            "https://ada:hunter22@example.org/",
            "x-api-key: 0123456789abcdef",
            '{"apiKey":"0123456789abcdef"}',
            `prefix ${given} suffix`,
        ];
        const cause = new Error(`cause sk-cause-12345678`);
        open({ redact: [given, ""] }).event("info", "everything", {
            secrets,
            nested: { deep: [{ text: secrets.join(" ") }] },
            error: new Error(`failed with ${secrets[0]}`, { cause }),
            apiKey: "plain",
            headers: { Authorization: "Basic plain", "x-api-key": "plain" },
            [`name ${given}`]: 1,
            inputTokens: 12,
            token: 5,
        });
        const text = readFileSync(file(), "utf8");
        const parts = ["ant-api03", "abc.def", "ghp_", "AIza", "hunter22", "0123456789", given];
        for (const part of [...parts, "plain", "sk-cause"]) expect(text).not.to.contain(part);
        expect(text).to.contain("failed with").and.to.contain("log-file.test.ts");
        expect(events()[0].data).to.deep.include({ inputTokens: 12, token: 5 });
    });

    it("Long texts are truncated, and bytes are left out", () => {
        const data = { text: "x".repeat(100_000), bytes: Buffer.from("abc") };
        open().event("info", "read", data);
        const [event] = events();
        expect(event.data.text).to.have.length.lessThan(600);
        expect(event.data.bytes).to.equal("[3 bytes]");
    });

    it("Logging never throws", () => {
        const circle: Record<string, unknown> = { big: 1n };
        circle.self = circle;
        open().event("info", "circle", circle);
        expect(events()[0].data).to.have.property("big", "1");
        const trap = {
            get value(): never {
                throw new Error("trap");
            },
        };
        open().event("info", "trap", trap);
        writeFileSync(path.join(folder(), "occupied"), "");
        open({ stateFolder: path.join(folder(), "occupied") }).event("info", "nowhere");
    });

    it("The log rotates at 10 MB and keeps its predecessor", () => {
        mkdirSync(path.dirname(file()));
        writeFileSync(file(), "");
        truncateSync(file(), 10 * 1024 * 1024);
        const log = open();
        log.event("info", "last");
        expect(existsSync(file())).to.equal(false);
        log.event("info", "first");
        expect(events().map(({ event }) => event)).to.deep.equal(["first"]);
        expect(readFileSync(`${file()}.1`, "utf8")).to.contain('"last"');
    });
});
