import type { PlainTool, ToolContext } from "north-cli/plugin";
import type {
    Hover,
    Location,
    LocationLink,
    MarkedString,
} from "vscode-languageserver-protocol/node";
import { MAX_FILE_BYTES } from "./limits.js";
import { findSymbol, linesOf, nameOf, type Place } from "./places.js";
import type { Pool } from "./pool.js";
import type { Session } from "./session.js";
import { withRange } from "./valid.js";

export interface SymbolInput {
    readonly path: string;
    readonly line: number;
    readonly symbol: string;
}

const MAX_PLACES = 100;
const MAX_HOVER_CHARACTERS = 4_000;
const MAX_PREVIEW = 200;

export const SYMBOL_PROPERTIES = {
    path: { type: "string", minLength: 1, description: "A file that names the symbol" },
    line: { type: "integer", minimum: 1, description: "A line of the file that names the symbol" },
    symbol: { type: "string", minLength: 1, description: "Its name as written there" },
} as const;

const inputSchema = {
    type: "object",
    properties: SYMBOL_PROPERTIES,
    required: Object.keys(SYMBOL_PROPERTIES),
    additionalProperties: false,
};

/** A place with its line. */
type Line = Place & { readonly text: string };
interface Lines {
    readonly places: readonly Line[];
    /** More of them exist. */
    readonly more: number;
}
type LineTool = PlainTool<SymbolInput, Lines>;
type HoverTool = PlainTool<SymbolInput, { readonly text: string }>;

/** Asks the server about a symbol, as the project is now. */
function ask<Answer>(
    pool: Pool,
    { path: given, line, symbol }: SymbolInput,
    context: ToolContext,
    request: (session: Session, at: At) => Promise<Answer>
): Promise<Answer> {
    const file = context.workspace.relative(given);
    return pool.for(file).use(context, async (session) => {
        await session.show();
        const position = findSymbol(await session.text(file), file, line, symbol);
        const textDocument = await session.openFile(file);
        return request(session, { textDocument, position });
    });
}

type At = Location["range"]["start"] extends infer Position
    ? { readonly textDocument: { readonly uri: string }; readonly position: Position }
    : never;

export { ask, type At };

const shared = { approval: "none", readOnly: true, kind: "search", inputSchema } as const;

export function lookUpTools(pool: Pool): [LineTool, LineTool, HoverTool] {
    const places = async (
        input: SymbolInput,
        context: ToolContext,
        method: string,
        more: object = {}
    ) => {
        const found = await ask(pool, input, context, (session, at) =>
            session.request<object, Found>({ method }, { ...at, ...more })
        );
        return { ok: true, data: await linesAt(found, pool.root, context) } as const;
    };
    return [
        {
            ...shared,
            name: "go_to_definition",
            description:
                "Find where a symbol is defined, by its type and scope, not by its text. Also finds definitions in dependencies.",
            intent: ({ symbol, path, line }) => `Finding ${symbol} of ${path}:${line}`,
            summary: ({ places }) => (places[0] && `${places[0].path}:${places[0].line}`) || "none",
            render,
            execute: (input, context) => places(input, context, "textDocument/definition"),
        },
        {
            ...shared,
            name: "find_references",
            description:
                "Find all uses of a symbol in the project, by its type and scope: nothing else of that name, and not its declaration.",
            intent: ({ symbol, path, line }) => `Finding the uses of ${symbol} of ${path}:${line}`,
            summary: ({ places, more }) => counted(places.length + more, "use"),
            render,
            execute: (input, context) =>
                places(input, context, "textDocument/references", {
                    context: { includeDeclaration: false },
                }),
        },
        {
            ...shared,
            name: "hover",
            description: "Get a symbol's type, signature and documentation.",
            intent: ({ symbol, path, line }) => `Looking up ${symbol} of ${path}:${line}`,
            render: ({ text }) => text,
            async execute(input, context) {
                const found = await ask(pool, input, context, (session, at) =>
                    session.request<object, Hover | null>({ method: "textDocument/hover" }, at)
                );
                const text = found ? textOf(found.contents).slice(0, MAX_HOVER_CHARACTERS) : "";
                return { ok: true, data: { text: text || "Nothing is known of it." } };
            },
        },
    ];
}

function isLink(each: Location | LocationLink): each is LocationLink {
    return typeof each === "object" && each !== null && "targetUri" in each;
}

type Found = Location | readonly (Location | LocationLink)[] | null;

async function linesAt(
    found: Found,
    root: string,
    { workspace }: Pick<ToolContext, "workspace">
): Promise<Lines> {
    const all = found === null ? [] : Array.isArray(found) ? found : [found];
    const places = (all as readonly (Location | LocationLink)[]).map((each) =>
        isLink(each)
            ? {
                  uri: each.targetUri,
                  range: withRange(each, "targetSelectionRange").targetSelectionRange,
              }
            : { uri: String(each?.uri), range: withRange(each, "range").range }
    );
    const texts = new Map<string, readonly string[]>();
    const lines: Line[] = [];
    for (const { uri, range } of places.slice(0, MAX_PLACES)) {
        const path = nameOf(uri, root);
        const line = range.start.line + 1;
        const known =
            texts.get(path) ??
            (await workspace.read(path, { maxBytes: MAX_FILE_BYTES }).then(
                ({ bytes }) => linesOf(new TextDecoder().decode(bytes)),
                () => []
            ));
        texts.set(path, known);
        lines.push({ path, line, text: (known[line - 1] ?? "").trim().slice(0, MAX_PREVIEW) });
    }
    return { places: lines, more: Math.max(0, places.length - MAX_PLACES) };
}

function render({ places, more }: Lines): string {
    if (places.length === 0) return "There are none.";
    const lines = places.map(({ path, line, text }) => `${path}:${line}: ${text}`.trimEnd());
    return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

function textOf(contents: Hover["contents"]): string {
    const parts: readonly (MarkedString | { readonly value: string })[] = Array.isArray(contents)
        ? contents
        : [contents];
    return parts
        .map((part) => (typeof part === "string" ? part : String(part?.value ?? "")))
        .join("\n\n")
        .trim();
}

export function counted(count: number, noun: string): string {
    return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
