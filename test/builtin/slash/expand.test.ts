import { expect } from "chai";
import { expand } from "../../../src/builtin/slash/expand.js";
import type { HiddenContent, HiddenOutput, Option } from "../../../src/plugin/index.js";
import { openSlash, UNDONE } from "../../helpers/slash-session.js";

describe("/expand", () => {
    const hide = (
        kind: HiddenOutput["kind"],
        title: string,
        content: HiddenContent,
        isCut = false
    ): HiddenOutput => ({ kind, title, isCut, read: async () => content });
    const hidden = [
        hide("thinking", "Hm", { kind: "text", text: "Hm.\nYes." }),
        hide("result", "Reading a.ts", { kind: "json", value: { content: "1\n2" } }),
        hide("output", "Running npm test", { kind: "text", text: "ok 1\nok 2\n" }, true),
        hide("diff", "a.txt", { kind: "changes", changeSet: { changes: [UNDONE] } }),
        hide("output", "! ls", { kind: "text", text: "a\nb" }, true),
    ];
    const expanded = async (argument: string, outputs = hidden) => {
        const { context, text } = openSlash({ hidden: outputs });
        await expand.run(argument, context);
        return text();
    };

    it("/expand shows the last cut output, or an earlier one, among others", async () => {
        expect(await expanded("")).to.equal("── Running npm test ──\n    ok 1\n    ok 2");
        expect(await expanded("2")).to.equal("── ! ls ──\n    a\n    b");
        expect(await expanded("3")).to.equal("There are only 2.");
    });

    it("/expand shows one kind of output, and says when nothing was cut", async () => {
        expect(await expanded("thinking")).to.contain("    Hm.\n    Yes.");
        expect(await expanded("result 1")).to.contain("── Reading a.ts ──\n    1\n    2");
        expect(await expanded("diff")).to.equal("changes of a.txt");
        expect(await expanded("", hidden.slice(0, 2))).to.contain("Hm.");
        expect(await expanded("", [])).to.equal("Nothing to expand.");
        expect(await expanded("output", hidden.slice(0, 1))).to.equal("Nothing to expand.");
        expect(await expanded("all")).to.contain("Usage: /expand");
    });

    it("/expand wraps thinking between words, and keeps the rows of output", async () => {
        const { context } = openSlash({ hidden });
        const calls: string[] = [];
        const screen = {
            ...context.screen,
            print: (text: string) => void calls.push(`wrapped ${text}`),
            printVerbatim: (text: string) => void calls.push(`verbatim ${text}`),
        };
        await expand.run("thinking", { ...context, screen });
        await expand.run("output", { ...context, screen });
        expect(calls).to.deep.equal([
            "wrapped ── Hm ──",
            "wrapped     Hm.\n    Yes.",
            "wrapped ── Running npm test ──",
            "verbatim     ok 1\n    ok 2",
        ]);
    });

    it("/expand offers each output with its title", async () => {
        const { context } = openSlash({ hidden });
        const values = (typed: string) =>
            [...(expand.complete!(typed, context) as readonly Option[])].map(
                ({ value, description }) => `${value} ${description ?? ""}`.trim()
            );
        expect(values("")).to.deep.equal([
            "1 Running npm test",
            "2 ! ls",
            "output",
            "diff",
            "result",
            "thinking",
        ]);
        expect(values("output ")).to.deep.equal(["output 1 Running npm test", "output 2 ! ls"]);
        expect(values("th")).to.deep.equal(["thinking"]);
    });
});
