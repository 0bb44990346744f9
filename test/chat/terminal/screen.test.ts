import { expect } from "chai";
import fc from "fast-check";

import type { Block } from "../../../src/chat/terminal/screen.js";
import { Screen } from "../../../src/chat/terminal/screen.js";
import { ScreenModel } from "../../helpers/screen-model.js";

const words = fc.stringMatching(/^[a-z ]{0,50}[a-z]$/);
const rows = fc.array(fc.stringMatching(/^[a-z]{1,19}$/), { maxLength: 5 });
type Step =
    | { readonly print: string }
    | { readonly rows: readonly string[]; readonly place: number };
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
    fc.oneof(fc.record({ print: words }), fc.record({ rows, place: fc.nat(4) })),
    { maxLength: 15 }
);

function open(columns = 20, height = 8) {
    const model = new ScreenModel(columns, height);
    const written: string[] = [];
    const output = {
        columns,
        rows: height,
        write: (data: string, done?: unknown) => {
            written.push(data);
            model.write(data);
            if (typeof done === "function") done();
            return true;
        },
    };
    const screen = new Screen(output);
    return { screen, model, written };
}

function wrapped(text: string, columns: number): string[] {
    const lines: string[] = [];
    for (let at = 0; at < text.length; at += columns) {
        lines.push(text.slice(at, at + columns).trimEnd());
    }

    return lines;
}

describe("Screen", () => {
    it("The screen shows the printed text and the current block below it", async () => {
        await fc.assert(
            fc.asyncProperty(steps, fc.boolean(), async (list, withCursor) => {
                const { screen, model } = open();
                let block: readonly string[] = [];
                let row = 0;
                const printed: string[] = [];
                screen.setBlock((): Block => {
                    const cursor = { row, column: block[row]?.length ?? 0 };
                    return withCursor && block.length > 0
                        ? { rows: block, cursor }
                        : { rows: block };
                });
                screen.resume();
                for (const step of list) {
                    if ("print" in step) {
                        screen.print(step.print);
                        printed.push(...wrapped(step.print, 20));
                    } else {
                        block = step.rows;
                        row = Math.min(step.place, Math.max(0, block.length - 1));
                        screen.refresh();
                    }
                    await screen.flush();
                    if (withCursor && block.length > 0) {
                        expect(model.cursor().column).to.equal(block[row]?.length);
                    }
                }
                expect(model.transcript()).to.equal([...printed, ...block].join("\n").trimEnd());
                screen.suspend();
                expect(model.transcript()).to.equal(printed.join("\n").trimEnd());
            }),
            { numRuns: 60 }
        );
    });

    it("An unchanged block writes nothing, and a changed one only its changed rows", async () => {
        const { screen, written } = open();
        let rows = ["one", "two", "three"];
        screen.setBlock(() => ({ rows, cursor: { row: 1, column: 3 } }));
        screen.resume();
        const amount = written.length;
        screen.draw();
        expect(written).to.have.length(amount);
        rows = ["one", "2", "three"];
        screen.draw();
        expect(written.slice(amount).join(""))
            .to.contain("2")
            .and.not.to.match(/one|three/);
    });

    it("Each update is wrapped in the marks of a synchronized update", async () => {
        const { screen, written } = open();
        screen.resume();
        screen.print("one");
        await screen.flush();
        const frames = written.filter((data) => data !== "");
        for (const frame of frames) {
            expect(frame.startsWith("\u001b[?2026h")).to.equal(true);
            expect(frame.endsWith("\u001b[?2026l")).to.equal(true);
        }
    });

    it("Text printed while suspended appears after resuming", async () => {
        const { screen, model } = open();
        screen.resume();
        screen.suspend();
        screen.print("later");
        expect(model.screen()).to.equal("");
        screen.resume();
        expect(model.screen()).to.equal("later");
    });
});
