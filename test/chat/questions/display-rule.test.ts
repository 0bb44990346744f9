import { expect } from "chai";
import fc from "fast-check";

import { sampledRuns } from "../../helpers/sample.js";
import { createTerminalApprover } from "../../../src/chat/questions/terminal-approver.js";
import { loadWidths } from "../../../src/chat/terminal/graphemes.js";
import { nextPolls } from "../../../src/chat/terminal/keyboard.js";
import { showControls } from "../../../src/base/safe-text.js";
import type { ApprovalRequest } from "../../../src/core/approval/approver.js";
import { diffsOf } from "../../../src/core/diff/diff.js";
import { openQuestionTerminal } from "../../helpers/question-terminal.js";
import { ReflowingScreen } from "../../helpers/reflowing-screen.js";

const [HEAD, TAIL] = ["HEAD", "TAIL"];

type Size = { readonly columns: number; readonly rows: number };

function commandRequest(command: string): ApprovalRequest {
    return { kind: "shell", callId: "c", command, cwd: "/project", consequences: [] };
}

/** A short command with a variable that a contained one set. */
function variableRequest(value: string): ApprovalRequest {
    return { ...commandRequest(HEAD), variables: [value] } as ApprovalRequest;
}

function changeRequest(text: string): ApprovalRequest {
    const after = Buffer.from(text);
    const changes = [{ path: "a.txt", before: null, beforeHash: null, after }];
    const changeSet = { changes };
    return { kind: "write", callId: "c", changeSet, diffs: diffsOf(changeSet) };
}

function callRequest(details: string): ApprovalRequest {
    const question = { sentence: "Call write of the MCP server files?", key: "k", details };
    return { kind: "ask", callId: "c", question };
}

/** What a command changed, contained. */
function effectRequest(text: string): ApprovalRequest {
    return { ...changeRequest(text), command: "make" } as ApprovalRequest;
}

const REQUESTS = [commandRequest, variableRequest, changeRequest, effectRequest, callRequest];

/** Asks in terminals of these sizes, one after the other, and resolves with what each showed. */
async function screensOf(request: ApprovalRequest, sizes: readonly [Size, ...Size[]]) {
    const [first] = sizes;
    const emulator = new ReflowingScreen(first.columns, first.rows);
    let written = Promise.resolve();
    const write = (data: string): void => {
        written = written.then(() => new Promise((done) => emulator.write(data, done)));
    };
    const chat = openQuestionTerminal(write, { ...first });
    const approver = createTerminalApprover({
        ...chat.place,
        root: "/project",
        allowedCommands: async () => [],
        cancelTurn: () => {},
    });
    const controller = new AbortController();
    const decision = approver.decide(request, controller.signal);
    const screens: string[] = [];
    try {
        while (!offersSomething(emulator.screen())) {
            await nextPolls();
            await written;
        }
        screens.push(emulator.screen());
        for (const { columns, rows } of sizes.slice(1)) {
            emulator.resize(columns, rows);
            Object.assign(chat.output, { columns, rows });
            chat.screen.resized();
            await written;
            screens.push(emulator.screen());
        }
    } finally {
        controller.abort();
        await decision;
        chat.close();
    }
    return screens;
}

function offersSomething(screen: string): boolean {
    return /› [lnv] /.test(screen);
}

/** Whether a letter that approves is among the choices at the end of the screen. */
function offersApproval(screen: string): boolean {
    const rows = screen.split("\n");
    const isNamed = rows.slice(-6).some((row) => /^(?:.* · )?(?:› | {2})?y yes/.test(row));
    return isNamed || / · [a-z ]*\by\b/.test(rows.at(-1) ?? "");
}

const COUNTED = /[⋮×]|not shown/;

function squeezed(text: string): string {
    return text.replace(/[\s⏎]/g, "");
}

/** Throws where an approval is offered without what has to be seen with it. */
function checkScreen(screen: string, text: string, size: Size): void {
    expect(offersSomething(screen), screen).to.equal(true);
    if (!offersApproval(screen)) return;
    const place = `${size.columns}x${size.rows}:\n${screen}`;
    expect(squeezed(screen), place).to.contain(HEAD).and.to.contain(TAIL);
    if (COUNTED.test(screen)) {
        // A row may end between the sign and its count.
        expect(screen, place).to.match(/\d+ (?:line|row|character)|×\s*\d+/);
    } else {
        for (const line of showControls(text).split("\n")) {
            // A row may begin with a plus of its own, beside those of a diff.
            const shown = squeezed(screen.replace(/^ *\d* \+|^ {4}|⟨no⏎⟩|\+/gm, ""));
            const whole = line.replaceAll("\t", "    ").replaceAll("+", "");
            expect(shown, place).to.contain(squeezed(whole));
        }
    }
}

const WIDE = ["漢字", "👩‍👩‍👧", "한글", "ｗｉｄｅ", "e\u0301"];
const INVISIBLE = [
    "\u3164",
    "\u200b",
    "\u00a0",
    "\u202e",
    "\ufe0f",
    "\u{e0041}",
    "\u001b[2J",
    "\u2003",
];

const fragment = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.constantFrom(...WIDE, ...INVISIBLE),
    fc.integer({ min: 1, max: 80 }).map((times) => "\n".repeat(times)),
    fc.integer({ min: 1, max: 4_000 }).map((times) => " ".repeat(times)),
    fc.integer({ min: 1, max: 200 }).map((times) => "\t".repeat(times)),
    fc.integer({ min: 1, max: 3_000 }).map((times) => "ab".repeat(times)),
    fc.integer({ min: 1, max: 300 }).map((times) => "the same line\n".repeat(times)),
    fc
        .integer({ min: 1, max: 400 })
        .map((times) => Array.from({ length: times }, (_, index) => `line ${index}`).join("\n"))
);
const proposal = fc
    .array(fragment, { maxLength: 8 })
    .map((parts) => `${HEAD} ${parts.join("").replaceAll("\r", "")} ${TAIL}`);
const size = fc.record({
    columns: fc.integer({ min: 20, max: 300 }),
    rows: fc.integer({ min: 5, max: 100 }),
});

describe("what is on the screen when something can be approved", () => {
    before(loadWidths);

    it("Any proposal shows its beginning, end and size beside the approving letter, at every screen size", async () => {
        await fc.assert(
            fc.asyncProperty(
                proposal,
                fc.constantFrom(...REQUESTS),
                size,
                size,
                async (text, requestOf, one, other) => {
                    const screens = await screensOf(requestOf(text), [one, other]);
                    checkScreen(screens[0] ?? "", text, one);
                    checkScreen(screens[1] ?? "", text, other);
                }
            ),
            {
                numRuns: sampledRuns(120),
                examples: [
                    [
                        `${HEAD} \u3164${"ab".repeat(60)}\u202eｗｉｄｅ ${TAIL}`,
                        changeRequest,
                        { columns: 22, rows: 6 },
                        { columns: 20, rows: 5 },
                    ],
                    [
                        `${HEAD} \n${" ".repeat(100)}${TAIL}`,
                        effectRequest,
                        { columns: 20, rows: 8 },
                        { columns: 20, rows: 5 },
                    ],
                ],
            }
        );
    });

    it("The review of a draft shows its size, evidence and cost in a narrow terminal, too", async () => {
        const draft = { tested: "not tested since", costUsd: 0.41 };
        const request = { ...changeRequest(`${HEAD} ${TAIL}`), draft } as ApprovalRequest;
        const [narrow = ""] = await screensOf(request, [{ columns: 40, rows: 20 }]);
        const shown = narrow.replace(/\s+/g, " ");
        expect(shown).to.contain("a.txt (new file) +1 -0 · not tested since · $0.41");
    });

    it("A proposal of a megabyte is asked about as any other", async () => {
        const texts = [
            `${HEAD} ${"x".repeat(1_000_000)} ${TAIL}`,
            `${HEAD} ${"word ".repeat(200_000)}${TAIL}`,
            `${HEAD}\n${Array.from({ length: 60_000 }, (_, index) => `line ${index}`).join("\n")}\n${TAIL}`,
        ];
        for (const text of texts) {
            for (const requestOf of REQUESTS) {
                const sizes = [
                    { columns: 80, rows: 24 },
                    { columns: 20, rows: 5 },
                    { columns: 300, rows: 100 },
                ] as const;
                const screens = await screensOf(requestOf(text), sizes);
                sizes.forEach((each, index) => checkScreen(screens[index] ?? "", text, each));
                expect(offersApproval(screens[0] ?? ""), screens[0]).to.equal(true);
            }
        }
    });

    it("Nothing can be approved where only a line's number fits", async () => {
        const numbered = Array.from({ length: 12 }, (_, index) => `\nline ${index}`).join("");
        const lines = `${HEAD} the first${numbered}${"\nthe same line".repeat(100)}\n${TAIL}`;
        const tiny = { columns: 20, rows: 5 } as const;
        for (const requestOf of REQUESTS) {
            for (const screen of await screensOf(requestOf(lines), [tiny, tiny])) {
                checkScreen(screen, lines, tiny);
            }
        }
    });

    it("Where a change does not fit, its unchanged lines are dropped first, with one note, above one row of keys", async () => {
        const lines = (changed: string) =>
            Buffer.from(["one", "two", "three", changed, "five", "six", "seven", ""].join("\n"));
        const [before, after] = [lines("the old line"), lines("the new line\nand another")];
        const changes = [{ path: "a.txt", before, beforeHash: null, after }];
        const diffs = diffsOf({ changes });
        const request = { kind: "write", callId: "c", changeSet: { changes }, diffs };
        for (const size of [
            { columns: 40, rows: 8 },
            { columns: 50, rows: 7 },
        ]) {
            const [screen = ""] = await screensOf(request as ApprovalRequest, [size]);
            expect(screen).to.contain("the old line").and.contain("the new line");
            expect(screen).to.contain("and another");
            expect(screen.match(/not shown/g), screen).to.have.length(1);
            expect(screen.trimEnd().split("\n").at(-1), screen).to.match(/^› v view.* n .*y/);
        }
    });

    it("Sixty blank lines and three thousand spaces push nothing off the screen", async () => {
        for (const gap of ["\n".repeat(60), " ".repeat(3_000), `\n${"#".repeat(5_000)}\n`]) {
            const command = `touch /tmp/EVIL;${gap}npm test`;
            const [screen = ""] = await screensOf(commandRequest(command), [
                { columns: 80, rows: 24 },
            ]);
            expect(screen).to.contain("touch /tmp/EVIL;").and.to.contain("npm test");
            expect(screen).to.match(/⏎ ×59|⟨␣ ×3000⟩|⟨# ×5000⟩/);
        }
    });

    it("The only file that a command changed is named in its review, and whether it is new or deleted", async () => {
        const size = { columns: 80, rows: 24 };
        const [screen = ""] = await screensOf(effectRequest("one\n"), [size]);
        expect(screen).to.contain("? Apply this command's changes to a.txt (new file)? make +1 -0");
    });

    it("A choice says how much of its proposal is off the screen", async () => {
        const text = Array.from({ length: 500 }, (_, index) => `line ${index}`).join("\n");
        const [screen = ""] = await screensOf(changeRequest(text), [{ columns: 80, rows: 24 }]);
        expect(screen).to.match(/⋮ (\d+) lines not shown \(of 500 lines\)/);
        const hidden = /⋮ (\d+) lines/.exec(screen)?.[1];
        expect(screen).to.contain(`y yes, ${hidden} lines not shown`);
        expect(screen).to.contain("› v view all");
    });

    it("Nothing can be approved where a proposal's beginning and end do not fit", async () => {
        const request = commandRequest(`${HEAD}\n${"x\ny\n".repeat(50)}${TAIL}`);
        const long = { ...request, cwd: `/project/${"folder/".repeat(20)}` };
        const [screen = ""] = await screensOf(long, [{ columns: 20, rows: 5 }]);
        expect(offersSomething(screen), screen).to.equal(true);
        expect(offersApproval(screen), screen).to.equal(false);
    });
});
