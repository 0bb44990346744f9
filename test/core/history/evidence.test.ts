import { expect } from "chai";
import { checkFinder } from "../../../src/host/effects/check-command.js";
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

const isCheck = checkFinder();

describe("Evidence", () => {
    it("A turn without edits has no evidence", async () => {
        expect(await evidenceOf([user(), ...ran("npm test", 0)], 0, isCheck)).to.equal(undefined);
    });

    it("A folder does not count as an edited file", async () => {
        const folder = { path: "src", type: "folder", beforeHash: null, afterHash: "0" } as const;
        const made: Entry = { ...base(), kind: "change", files: [folder] };
        expect(await evidenceOf([user(), made], 0, isCheck)).to.equal(undefined);
        expect(
            (await evidenceOf([user(), made, edit("src/a.ts")], 0, isCheck))?.filesEdited
        ).to.equal(1);
    });

    it("A test before the last edit is reported as stale, and one after it as passed or failed", async () => {
        const edits = [user(), edit("a.ts", "b.ts"), edit("a.ts")];
        const text = async (entries: Entry[]) => (await evidenceOf(entries, 0, isCheck))?.text;
        expect(await text(edits)).to.equal("2 files edited · not tested since the last edit");
        expect(await text([...edits, ...ran("npm test", 0)])).to.equal(
            "2 files edited · npm test passed 14:02"
        );
        expect(await text([...edits, ...ran("npm test", 1)])).to.equal(
            "2 files edited · npm test failed 14:02"
        );
        expect(await text([...edits, ...ran("npm test", 0), edit("c.ts")])).to.equal(
            "3 files edited · npm test passed 14:02, before the last edit"
        );
    });

    it("Each turn of a conversation has its own edits, and the last test so far", async () => {
        const tested = ran("npm test", 0);
        const entries = [user(), edit("a.ts"), ...tested, user(), edit("b.ts"), edit("c.ts")];
        const found = [...(await evidenceByTurn(entries, isCheck))];
        expect(found.map(([id]) => id)).to.deep.equal([tested.at(-1)?.id, entries.at(-1)?.id]);
        expect(found.map(([, { filesEdited }]) => filesEdited)).to.deep.equal([1, 2]);
        expect(found.map(([, { lastCheck }]) => lastCheck?.isAfterLastEdit)).to.deep.equal([
            true,
            false,
        ]);
    });

    it("A program that is not installed is no failed check", async () => {
        const found = await evidenceOf(
            [user(), edit("a.ts"), ...ran("npx vitest", 127)],
            0,
            isCheck
        );
        expect(found?.text).to.equal("1 file edited · not tested since the last edit");
    });

    for (const command of [
        "npm test",
        "npx tsc --noEmit",
        "cd a && CI=1 npm run test:unit 2>&1",
        "(npm test)",
        "{ npm test; }",
        "cd a; npm test",
        "env CI=1 npm test",
        "npx -y vitest run",
        "npx --no-install vitest@1 run",
        "timeout 60 npm test",
        "npm -w x test",
        "npm --prefix pkg test",
        "bash -c 'npm test'",
        "./node_modules/.bin/jest",
        ".venv/bin/pytest -q",
        "python3.11 -m pytest",
        "python -m coverage run -m pytest",
        "uv run pytest",
        "python manage.py test",
        "make -j4 test",
        "make -C build check",
        "mvn -o test",
        "./mvnw test",
        "node --test test.mjs",
        "npm test # all of them",
    ]) {
        it(`\`${command}\` is a check`, async () => {
            expect(await isCheck(command)).to.equal(true);
        });
    }

    for (const command of [
        "npm install",
        "npm test | tail",
        "npm test; true",
        "npm test || true",
        "npm test &",
        "! npm test",
        "if npm test; then true; fi",
        "npx tsc --version",
        "npm run tests-fixture",
        'git commit -m "lint && npm test pass"',
        "cat <<END\nnpm test\nEND",
        "# npm test",
    ]) {
        it(`\`${command}\` is no check`, async () => {
            expect(await isCheck(command)).to.equal(false);
        });
    }

    it("A configured command counts as a check, whatever it is", async () => {
        expect(await checkFinder(["./verify.sh | tail"])("./verify.sh | tail")).to.equal(true);
    });
});
