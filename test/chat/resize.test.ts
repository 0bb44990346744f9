import { MODES } from "../../src/plugin/modes.js";
import { answer } from "../helpers/answers.js";
import { bundledProgram } from "../helpers/bundled-program.js";
import { patient } from "../helpers/patience.js";
import { openTerminal, type PseudoTerminal } from "../helpers/pseudo-terminal.js";
import { hasTmux, TmuxTerminal } from "../helpers/tmux-terminal.js";

const PROGRAM = bundledProgram(new URL("../helpers/chat-program.ts", import.meta.url));
/** From the longest to the one that is cut where none fits. */
const STATUSES = [
    "project · Sonnet · agent · ● 42.5K (21%) · $0.12 / $3.40",
    "project · Sonnet · agent · ● 42.5K (21%) · $0.12",
    "agent · ● 42.5K (21%) · $0.12",
];
const WIDTHS = [80, 40, 20, 60, 33, 80];

type Viewed = Pick<
    PseudoTerminal,
    | "type"
    | "press"
    | "waitFor"
    | "waitForNo"
    | "waitUntil"
    | "resize"
    | "transcript"
    | "cursor"
    | "close"
>;

/** Something alive on the screen. */
interface Moment {
    readonly name: string;
    /** What is printed before it, and what of it stays. */
    readonly before?: string;
    readonly after?: string;
    /** Lines that were printed would be wrapped below this width. */
    readonly narrowest?: number;
    begin(terminal: Viewed): Promise<unknown>;
    /** Its rows in a terminal of this width. */
    rows(width: number): readonly string[];
    end(terminal: Viewed): Promise<unknown>;
}

/** Cut into rows of so many characters. */
function cut(text: string, size: number): string[] {
    return text.match(new RegExp(`.{1,${size}}`, "gu")) ?? [""];
}

function fit(row: string, width: number): string {
    return row.length < width ? row : `${row.slice(0, width - 2)}…`;
}

function status(width: number): string[] {
    const fitting = STATUSES.find(({ length }) => length < width);
    return ["", fit(fitting ?? STATUSES.at(-1)!, width)];
}
const clear = (terminal: Viewed) => {
    terminal.press("ctrl-c");
    return terminal.waitFor("Press Ctrl+C again");
};

const draftRows = (width: number): string[] => {
    const rows = [
        ...cut("a".repeat(50), width - 3),
        ...cut("漢".repeat(20), Math.floor((width - 3) / 2)),
        "end",
    ];
    return [...status(width), ...rows.map((row, index) => (index === 0 ? "❯ " : "  ") + row)];
};

async function typeDraft(terminal: Viewed): Promise<void> {
    terminal.type("a".repeat(50));
    terminal.press("ctrl-j");
    terminal.type("漢".repeat(20));
    terminal.press("ctrl-j");
    terminal.type("end");
    await terminal.waitFor(/^ {2}end$/m);
}

const cursorAt = (terminal: Viewed, column: number) =>
    terminal.waitUntil(() => terminal.cursor().column === column, `the cursor in ${column}`);

/** Choices stand in as few rows as have room for them. */
function choices(width: number, ...labels: readonly string[]): readonly string[] {
    const rows: string[] = [];
    for (const label of labels) {
        const longer = `${rows.at(-1) ?? ""} · ${label}`;
        if (rows.length > 0 && longer.length < width) rows[rows.length - 1] = longer;
        else rows.push(fit(`${rows.length === 0 ? "› " : "  "}${label}`, width));
    }
    return rows;
}

/** Sends a message and waits for what it asks, or says at last. */
const sent =
    (message: string, last: string) =>
    (terminal: Viewed): Promise<string> => {
        terminal.type(`${message}\r`);
        return terminal.waitFor(last);
    };

/** Stands for the row that tells what happens: its seconds change. */
const LIVE = "(live)";
const steady = (text: string): string => text.replaceAll(/^[\u2800-\u28ff] .*$/gm, LIVE);

const MOMENTS: readonly Moment[] = [
    { name: "the end of a draft is typed", begin: typeDraft, rows: draftRows, end: clear },
    {
        name: "the middle of a draft is typed",
        begin: async (terminal) => {
            await typeDraft(terminal);
            terminal.press("up");
            await cursorAt(terminal, 8);
        },
        rows: draftRows,
        end: clear,
    },
    {
        name: "the cursor is right of the new width",
        begin: async (terminal) => {
            await typeDraft(terminal);
            for (const key of ["up", "up", "end"]) terminal.press(key);
            await cursorAt(terminal, 52);
        },
        rows: draftRows,
        end: clear,
    },
    {
        name: "a file is chosen",
        begin: (terminal) => {
            terminal.type("see @app");
            return terminal.waitFor("@test/app.test.ts");
        },
        rows: (width) => [
            ...status(width),
            "❯ see @app",
            fit("› @src/app.ts".padEnd(22), width),
            fit("  @test/app.test.ts".padEnd(22), width),
        ],
        end: clear,
    },
    {
        name: "an answer comes in",
        before: "\n❯ until cancelled\n\n",
        begin: sent("until cancelled", "● Going on"),
        rows: (width) => ["● Going on", LIVE, ...status(width), "❯"],
        end: (terminal) => {
            terminal.press("escape");
            return terminal.waitFor("[Cancelled]");
        },
        after: "● Going on\n[Cancelled]\n",
    },
    {
        name: "a mode is picked",
        before: "\n❯ /mode\n",
        begin: sent("/mode", "Which mode?"),
        rows: (width) => [
            ...cut("? Which mode? ", width - 2),
            ...[
                "❯ agent (current, has all tools; edits and commands are reviewed)",
                ...MODES.filter(({ id }) => id !== "agent").map(
                    ({ id, description }) => `  ${id} (${description})`
                ),
                width > 52
                    ? "  Type to search · ↑↓ move · Enter choose · Esc cancel"
                    : "  ↑↓ · Enter choose · Esc cancel",
            ].map((row) => fit(row, width)),
        ],
        end: (terminal) => {
            terminal.press("escape");
            return terminal.waitForNo("Which mode?");
        },
        after: "[Cancelled]\n",
    },
    {
        name: "an edit is asked about",
        before: "\n❯ edit\n",
        begin: sent("edit", "n no"),
        rows: (width) =>
            [
                "",
                "? Edit app.ts?",
                "1 -old^[[31m",
                "1 +line 1",
                "2 +line 2",
                "3 +line 3",
                ...choices(
                    width,
                    "n no",
                    "y yes",
                    "s allow edits until I quit",
                    "a always allow edits here"
                ),
            ].map((row) => (row.startsWith("?") && width > 22 ? `${row} +3 -1` : row)),
        end: async (terminal) => {
            await answer(terminal, "no");
            return terminal.waitFor("● Decision");
        },
        after: '✘ Rejected app.ts (+3 -1)\n\n● Decision: {"kind":"deny"}\n',
    },
    {
        name: "a command is asked about",
        before: "\n❯ shell\n",
        // Below it the sentences would be wrapped.
        narrowest: 50,
        begin: sent("shell", "n no"),
        rows: (width) => [
            "",
            "? Run this command in packages/app?",
            "    npm test",
            "    npm run lint^[[8m",
            "  It is not in this project's allowlist.",
            ...choices(
                width,
                "n no",
                "y yes",
                "s allow until I quit",
                "a always allow in this folder"
            ),
        ],
        end: () => Promise.resolve(),
    },
];

const PRINTED = `❯ lines

● ${Array.from({ length: 12 }, (_, index) => `line ${index}\n`).join("")}`;

const ARGUMENTS = [PROGRAM, "{}"];

function inTerminal(reflows: boolean, environment: Readonly<Record<string, string>>): Viewed {
    const env = { ...process.env, TMUX: undefined, ...environment };
    return openTerminal({ command: process.execPath, args: ARGUMENTS, reflows, env });
}

/** Terminals that treat what they show in different ways when they become narrower. */
const TERMINALS: Readonly<Record<string, () => Viewed>> = {
    "that cuts its lines": () => inTerminal(false, { XTERM_VERSION: "XTerm(390)" }),
    "of an editor": () => inTerminal(true, { TERM_PROGRAM: "vscode" }),
    ...(hasTmux && { tmux: () => new TmuxTerminal([process.execPath, ...ARGUMENTS], 80, 24) }),
};

describe("Resizing the terminal", () => {
    let terminal: Viewed;

    afterEach(() => terminal.close());

    for (const [kind, open] of Object.entries(TERMINALS)) {
        it(`Resizing leaves printed text in place (${kind})`, async () => {
            terminal = open();
            await terminal.waitFor("❯");
            let printed = "";
            for (const { name, before = "", begin, rows, end, after = "", ...how } of MOMENTS) {
                terminal.type("lines\r");
                printed += printed === "" ? PRINTED : `\n${PRINTED}`;
                await terminal.waitUntil(() => terminal.transcript().includes(printed));
                await begin(terminal);
                printed += before;
                const { narrowest = 0 } = how;
                for (const width of WIDTHS.filter((one) => one >= narrowest)) {
                    terminal.resize(width, 24);
                    const block = rows(width)
                        .map((row) => row.trimEnd())
                        .join("\n");
                    await terminal.waitUntil(
                        (screen) =>
                            steady(screen).endsWith(block) &&
                            steady(terminal.transcript()).trimStart() === printed + block,
                        `${width} columns while ${name}:\n${printed}${block}\n`
                    );
                }
                await end(terminal);
                printed += after;
            }
        }).timeout(patient(240_000));
    }

    it("A terminal of 20 columns and 5 rows leaves a usable chat", async () => {
        terminal = inTerminal(false, {});
        await terminal.waitFor("❯");
        terminal.resize(20, 5);
        await terminal.waitFor("agent · ● 42.5K (2…");
        await typeDraft(terminal);
        await terminal.waitFor(/↑ \d+ more lines\n[^]*end$/);
        terminal.press("enter");
        await terminal.waitUntil(() => terminal.transcript().includes("You sent 3"));
        terminal.type("/m");
        await terminal.waitFor("❯ /m");
        terminal.press("ctrl-c");
        await terminal.waitUntil(() => !terminal.transcript().includes("/m"));
        terminal.type("edit\r");
        // One of four rows: what is decided, and the letters of the choices.
        await terminal.waitUntil((screen) => screen.trimEnd().endsWith("› v view… · n y s a"));
        await answer(terminal, "yes");
        await terminal.waitUntil(() => terminal.transcript().includes("approve"));
        terminal.type("/model\r");
        await terminal.waitFor("Model 0");
        terminal.press("escape");
        await terminal.waitForNo("Model 0");
        terminal.resize(200, 50);
        terminal.type("wide");
        await terminal.waitFor(/\$3\.40\n❯ wide$/);
    });
});
