/** A large file, and two scripted models that edit it: by its outline, and after reading it all. */
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type Reply,
} from "../helpers/vendors/messages-server.js";
import type { ProgramEnd, Workplace } from "../helpers/north-program.js";
import type { OutlineSection } from "../../src/code/outline.js";
import { resultsIn, type ToolAnswer } from "./requests.js";

export const PATH = "src/warehouses.ts";
const WAREHOUSES = 36;
/** What one call of `read_file` may ask for. */
const READ_LINES = 500;

const TASK = `In ${PATH}: total() of Warehouse13 leaves out what was cancelled, what still uses
legacyRounding uses Math.round, Warehouse21 gets isEmpty(), the limit of warehouse 27 becomes 250.`;

const isEmpty = "    isEmpty(): boolean {\n        return this.items.size === 0;\n    }\n\n";

/**
 * A hundred lines as programs have them, with as many definitions: an outline is about an eighth of
 * the bytes of a file. `isDone` says how they are to be in the end.
 */
function warehouse(number: number, isDone: boolean): string {
    const filter = isDone && number === 13 ? ".filter((item) => !item.isCancelled)" : "";
    const round = !isDone && number === 24 ? "legacyRounding" : "Math.round";
    return `/**
 * What warehouse ${number} holds, by the number of the article. It is what was counted last: what
 * has been sold since is in the ledger.
 */
export interface Stock${number} {
    readonly articles: ReadonlyMap<string, Item>;
    readonly countedAt: Date;
    /** Shelves that could not be counted, and why. */
    readonly missing: ReadonlyMap<Shelf, string>;
}

export const LIMIT_${number} = ${isDone && number === 27 ? 250 : 100};

/** The shelves of warehouse ${number} with all that lies on them. */
export class Warehouse${number} extends Building {
${isDone && number === 21 ? isEmpty : ""}    private readonly items = new Map<string, Item>();

    constructor(private readonly shelves: readonly Shelf[], name = "Warehouse ${number}") {
        super(name);
        for (const shelf of shelves) {
            // A shelf that is being moved is filled again where it arrives.
            if (shelf.isMoving) continue;
            this.fill(shelf);
        }
    }

    /** Takes in what lies on a shelf, as long as there is room. */
    private fill(shelf: Shelf): void {
        for (const item of shelf.items) {
            if (this.items.size >= LIMIT_${number}) {
                this.report("full", { shelf: shelf.name, left: shelf.items.length });
                break;
            }
            const known = this.items.get(item.article);
            if (known === undefined) {
                this.items.set(item.article, item);
                continue;
            }
            const count = known.count + item.count;
            this.items.set(item.article, { ...known, count, seenAt: item.seenAt });
        }
    }

    total(): number {
        const items = [...this.items.values()]${filter};
        return items.reduce((sum, item) => sum + priceIn${number}(item), 0);
    }

    /** Counts all shelves at once; one that fails does not keep the others from being counted. */
    async count(signal: AbortSignal): Promise<Stock${number}> {
        const missing = new Map<Shelf, string>();
        const counted = await Promise.all(
            this.shelves.map(async (shelf) => {
                try {
                    return await shelf.count({ signal, within: 30_000 });
                } catch (error) {
                    signal.throwIfAborted();
                    missing.set(shelf, error instanceof Error ? error.message : String(error));
                    return [];
                }
            })
        );
        const articles = new Map<string, Item>();
        for (const item of counted.flat()) {
            if (item.isCancelled) continue;
            const before = articles.get(item.article);
            const count = (before?.count ?? 0) + item.count;
            articles.set(item.article, { ...item, count });
        }
        return { articles, missing, countedAt: new Date() };
    }
}

/**
 * The price of an item in warehouse ${number}: heavy ones cost more, and what has lain there for
 * half a year costs less.
 */
export function priceIn${number}(item: Item): number {
    const surcharge = item.isHeavy ? ${number} : 0;
    const isOld = Date.now() - item.seenAt.getTime() > 183 * DAY;
    const price = (item.price + surcharge) * (isOld ? 0.8 : 1);
    return ${round}(price * 100) / 100;
}
`;
}

/** The file as it is, or as it is to be when all that was asked for is done. */
export function largeFile(isDone = false): string {
    const parts = Array.from({ length: WAREHOUSES }, (_, index) => warehouse(index + 1, isDone));
    return parts.join("\n");
}

/** The edits, written from the lines that the model has been shown. */
function edits(total: readonly string[], rounding: readonly string[]): Reply {
    const old = total.join("\n");
    const last = rounding.findIndex((line) => line.includes("legacyRounding"));
    const replaced = rounding.slice(0, last + 1);
    return reply(
        toolUse("edit_1", "edit_replace_exact", {
            path: PATH,
            old,
            new: old.replace("values()]", "values()].filter((item) => !item.isCancelled)"),
        }),
        toolUse("edit_2", "edit_replace_block", {
            path: PATH,
            blockStart: replaced[0],
            blockEnd: "legacyRounding",
            inclusive: true,
            content: replaced.join("\n").replace("legacyRounding", "Math.round"),
        }),
        toolUse("edit_3", "edit_after_anchor", {
            path: PATH,
            anchor: "class Warehouse21 extends",
            content: isEmpty,
        }),
        toolUse("edit_4", "edit_by_anchor", {
            path: PATH,
            mode: "replace_line",
            anchor: "LIMIT_27 =",
            content: "export const LIMIT_27 = 250;",
        })
    );
}

const done = reply(text("Done."));

type Answers = Readonly<Record<string, ToolAnswer>>;
/** A model: the reply to what it has been answered so far. */
type Model = (answers: Answers) => Reply;

/** Looks at the outline, finds the rest by name, and reads the class and the function that it changes. */
export const byOutline: Model = (answers) => {
    if (answers.edit_1 !== undefined) return done;
    if (answers.read_1 !== undefined) {
        const shown = String(answers.read_2?.data?.content).split("\n");
        const lines = String(answers.read_1.data?.content).split("\n");
        const total = lines.findIndex((line) => line.includes("total()"));
        return edits(
            lines.slice(total, total + 4),
            shown.map((line) => line.replace(/^[> ] *\d+: /, ""))
        );
    }
    if (answers.outline === undefined) {
        return reply(
            toolUse("outline", "get_file_outline", { path: PATH }),
            toolUse("block", "find_code_block", { path: PATH, query: "legacyRounding" })
        );
    }
    const sections = answers.outline.data?.sections as readonly OutlineSection[];
    const warehouse = sections.find(({ name }) => name === "Warehouse13");
    const matches = answers.block?.data?.matches as readonly OutlineSection[];
    const { startLine = 0, endLine = 0, name } = matches[0] ?? {};
    return reply(
        toolUse("read_1", "read_file", {
            path: PATH,
            range: { start: warehouse?.startLine, end: warehouse?.endLine },
        }),
        toolUse("read_2", "read_around", {
            path: PATH,
            anchor: `function ${name}(`,
            before: 0,
            after: endLine - startLine,
        })
    );
};

/** Reads the file from its beginning to its end, then does the same edits. */
export const byReading: Model = (answers) => {
    if (answers.edit_1 !== undefined) return done;
    const parts = Object.values(answers).map(({ data }) => String(data?.content).trimEnd());
    if (parts.length === 0) {
        const total = largeFile().split("\n").length - 1;
        const starts = Array.from(
            { length: Math.ceil(total / READ_LINES) },
            (_, index) => index * READ_LINES + 1
        );
        const calls = starts.map((start) => {
            const range = { start, end: Math.min(start + READ_LINES - 1, total) };
            return toolUse(`read_${start}`, "read_file", { path: PATH, range });
        });
        return reply(...calls);
    }
    const lines = parts.join("\n").split("\n");
    const after = (from: number, wanted: string): number =>
        lines.findIndex((line, index) => index >= from && line.includes(wanted));
    const total = after(after(0, "class Warehouse13 extends"), "total()");
    const rounding = after(0, "legacyRounding");
    return edits(lines.slice(total, total + 4), lines.slice(rounding - 4, rounding + 2));
};

/** What a session came to. */
export interface Session {
    readonly end: ProgramEnd;
    readonly content: string | undefined;
    /** The bytes of each request. */
    readonly sent: readonly number[];
    /** All that the model was answered. */
    readonly answers: Answers;
}

/** One session of the program with a model, on a server that is the model's. */
export async function editLargeFile(place: Workplace, model: Model): Promise<Session> {
    const server = await startMessagesServer({
        script: ({ body }) => model(resultsIn(body)),
    });
    try {
        place.write(PATH, largeFile());
        const end = await place.run(["-p", TASK, "--accept-edits"], {
            env: { ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url },
        });
        return {
            end,
            content: place.files()[PATH],
            sent: server.requests.map(({ raw }) => raw.length),
            answers: resultsIn(server.requests.at(-1)?.body),
        };
    } finally {
        await server.close();
    }
}
