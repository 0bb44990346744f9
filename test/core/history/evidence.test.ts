import { expect } from "chai";
import { isCheckCommand } from "../../../src/core/history/check-commands.js";
import { evidenceByTurn, evidenceOf } from "../../../src/core/history/evidence.js";
import type { Entry } from "../../../src/plugin/records.js";

const AT = new Date(2026, 10, 22, 14, 2).getTime();
let ids = 0;
const base = () => ({ id: `e${(ids += 1)}`, at: AT });
const user = (): Entry => ({ ...base(), kind: "user", mode: "agent", text: "Go.", content: [] });
const edit = (...paths: string[]): Entry => ({
    ...base(),
    kind: "change",
    files: paths.map((path) => ({ path, beforeHash: null, afterHash: "0" })),
});

function ran(command: string, exitCode: number): Entry[] {
    const callId = `c${ids}`;
    const call = { type: "tool-call" as const, callId, name: "shell_run", input: { command } };
    const content = JSON.stringify({ ok: true, data: { exitCode } });
    const result = { callId, name: "shell_run", content, ok: true, durationMs: 1, intent: "" };
    return [
        {
            ...base(),
            ...{ kind: "assistant", provider: "p", model: "m", status: "complete" },
            content: [call],
        },
        { ...base(), kind: "tool_result", ...result },
    ] as Entry[];
}

describe("Evidence", () => {
    it("A turn without edits has no evidence", () => {
        expect(evidenceOf([user(), ...ran("npm test", 0)], 0)).to.equal(undefined);
    });

    it("A folder does not count as an edited file", () => {
        const folder = { path: "src", type: "folder", beforeHash: null, afterHash: "0" } as const;
        const made: Entry = { ...base(), kind: "change", files: [folder] };
        expect(evidenceOf([user(), made], 0)).to.equal(undefined);
        expect(evidenceOf([user(), made, edit("src/a.ts")], 0)?.filesEdited).to.equal(1);
    });

    it("A test before the last edit is reported as stale, and one after it as passed or failed", () => {
        const edits = [user(), edit("a.ts", "b.ts"), edit("a.ts")];
        const text = (entries: Entry[]) => evidenceOf(entries, 0)?.text;
        expect(text(edits)).to.equal("2 files edited · not tested since the last edit");
        expect(text([...edits, ...ran("npm test", 0)])).to.equal(
            "2 files edited · npm test passed 14:02"
        );
        expect(text([...edits, ...ran("npm test", 1)])).to.equal(
            "2 files edited · npm test failed 14:02"
        );
        expect(text([...edits, ...ran("npm test", 0), edit("c.ts")])).to.equal(
            "3 files edited · npm test passed 14:02, before the last edit"
        );
    });

    it("Each turn of a conversation has its own edits, and the last test so far", () => {
        const tested = ran("npm test", 0);
        const entries = [user(), edit("a.ts"), ...tested, user(), edit("b.ts"), edit("c.ts")];
        const found = [...evidenceByTurn(entries)];
        expect(found.map(([id]) => id)).to.deep.equal([tested.at(-1)?.id, entries.at(-1)?.id]);
        expect(found.map(([, { filesEdited }]) => filesEdited)).to.deep.equal([1, 2]);
        expect(found.map(([, { lastCheck }]) => lastCheck?.isAfterLastEdit)).to.deep.equal([
            true,
            false,
        ]);
    });

    it("A command counts as a check only if its exit code is that of a check", () => {
        const checks = ["npm test", "npx tsc --noEmit", "cd a && CI=1 npm run test:unit 2>&1"];
        const others = ["npm install", "npm test | tail", "npm test; true", "npm test || true"];
        for (const command of checks) expect(isCheckCommand(command), command).to.equal(true);
        for (const command of others) expect(isCheckCommand(command), command).to.equal(false);
        expect(isCheckCommand("./verify.sh | tail", ["./verify.sh | tail"])).to.equal(true);
    });
});
