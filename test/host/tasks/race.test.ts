import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { race } from "../../../src/host/tasks/race.js";
import { describeContained } from "../../shell/containment/contained.js";

/** Ends at once, as a run of North would whose draft has a file. */
const PROGRAM = `
const [, model] = /--model=(\\S+)/.exec(process.argv.join(" "));
const result = { type: "result", isError: false, conversationId: null, costUsd: 0 };
const lost = { conversationId: "abcdef", draft: { files: ["a.txt"] } };
const error = { message: "There is no key.", nextSteps: ["Set one."] };
const keyless = { isError: true, error };
console.log(JSON.stringify({ ...result, ...{ lost, keyless }[model] }));
`;

describeContained("race", () => {
    it("A run whose draft cannot be read fails alone", async () => {
        const folder = fs.mkdtempSync(path.join(tmpdir(), "north-race-"));
        const [root, program] = ["root", "program"].map((name) => path.join(folder, name));
        fs.mkdirSync(root!);
        fs.mkdirSync(path.join(program!, "bin"), { recursive: true });
        fs.writeFileSync(path.join(program!, "bin", "run.js"), PROGRAM);
        const ended: string[] = [];
        const { runs, winner } = await race({
            ...{
                prompt: "Work",
                models: ["lost", "other", "keyless"],
                times: 1,
                maxCostUsd: undefined,
            },
            ...{ program: program!, folder: root!, dataFolder: path.join(folder, "data") },
            ...{ environment: process.env, signal: new AbortController().signal },
            flags: { until: "true" },
            onChange: () => {},
            onEnd: ({ name }) => ended.push(name),
        });
        expect(ended).to.have.members(["lost", "other", "keyless"]);
        expect(winner).to.equal(undefined);
        expect(runs[0]).to.include({ name: "lost", state: "fail" });
        expect(runs[0]?.problem).to.contain("abcdef");
        expect(runs[1]).to.include({
            name: "other",
            state: "fail",
            problem: "It changed nothing.",
        });
        expect(runs[2]).to.deep.include({
            ...{ state: "fail", problem: "There is no key.", nextSteps: ["Set one."] },
        });
        fs.rmSync(folder, { recursive: true });
    });
});
