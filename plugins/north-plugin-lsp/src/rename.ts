import { type FileChange, NorthError, type Workspace, type WriteTool } from "north-cli/plugin";
import type {
    Position,
    RenameParams,
    TextEdit,
    WorkspaceEdit,
} from "vscode-languageserver-protocol/node";
import { ask, counted, SYMBOL_PROPERTIES, type SymbolInput } from "./look-up.js";
import { MAX_FILE_BYTES } from "./limits.js";
import { nameOf, pathOf } from "./places.js";
import type { Pool } from "./pool.js";
import { withRange } from "./valid.js";

type RenameInput = SymbolInput & { readonly new_name: string };

const BOM = "\ufeff";

export function renameTool(pool: Pool): WriteTool<RenameInput> {
    return {
        name: "rename_symbol",
        description:
            "Rename a symbol everywhere in the project, by its type and scope: nothing else of that name, no comments.",
        approval: "write",
        readOnly: false,
        inputSchema: {
            type: "object",
            properties: { ...SYMBOL_PROPERTIES, new_name: { type: "string", minLength: 1 } },
            required: [...Object.keys(SYMBOL_PROPERTIES), "new_name"],
            additionalProperties: false,
        },
        intent: ({ symbol, new_name: name }) => `Renaming ${symbol} to ${name}`,
        async propose(input, context) {
            const { symbol, new_name: newName } = input;
            if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(newName)) {
                throw new NorthError("invalid-name", `${newName} is not a name.`);
            }
            const changes: FileChange[] = [];
            let places = 0;
            await ask(pool, input, context, async (session, at) => {
                const edit = await session.request<RenameParams, WorkspaceEdit | null>(
                    { method: "textDocument/rename" },
                    { ...at, newName }
                );
                const found = editsByFile(edit, pool.root);
                // Of a keyword, tsserver renames what it declares.
                const here = found.get(pathOf(at.textDocument.uri, pool.root) ?? "") ?? [];
                if (!here.some(({ range }) => isSame(range.start, at.position))) return;
                for (const [file, own] of found) {
                    places += own.length;
                    changes.push(await changeOf(file, own, context.workspace));
                }
                await session.requireUnchanged([...found.keys()]);
            });
            if (changes.length === 0) {
                throw new NorthError("nothing-to-rename", `${symbol} cannot be renamed there.`);
            }
            const where = `${counted(places, "place")} in ${counted(changes.length, "file")}`;
            return { ok: true, changeSet: { changes }, notes: [`Renamed in ${where}.`] };
        },
    };
}

function isSame(one: Position, other: Position): boolean {
    return one.line === other.line && one.character === other.character;
}

/** Throws for what is no change of text, or outside of the repository. */
function editsByFile(
    edit: WorkspaceEdit | null,
    root: string
): ReadonlyMap<string, readonly TextEdit[]> {
    const found = new Map<string, readonly TextEdit[]>();
    const add = (uri: string, edits: readonly TextEdit[]) => {
        const file = pathOf(uri, root);
        if (file === undefined) throw notOurs(nameOf(uri, root));
        for (const edit of edits) withRange(edit, "range");
        found.set(file, [...(found.get(file) ?? []), ...edits]);
    };
    for (const change of edit?.documentChanges ?? []) {
        if (!("textDocument" in change)) {
            throw new NorthError(
                "not-supported",
                "It would move files, which a rename here cannot."
            );
        }
        add(change.textDocument.uri, change.edits as readonly TextEdit[]);
    }
    if (!edit?.documentChanges) {
        for (const [uri, edits] of Object.entries(edit?.changes ?? {})) add(uri, edits);
    }
    return found;
}

async function changeOf(
    file: string,
    edits: readonly TextEdit[],
    workspace: Workspace
): Promise<FileChange> {
    const { path, bytes, hash, ignored } = await workspace.read(file, { maxBytes: MAX_FILE_BYTES });
    if (ignored) throw notOurs(path);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = text.startsWith(BOM) ? BOM : "";
    const after = Buffer.from(mark + edited(text.slice(mark.length), edits));
    return { path, before: bytes, beforeHash: hash, after };
}

/** Applies edits as the protocol wants: all positions are those of the text before. */
export function edited(text: string, edits: readonly TextEdit[]): string {
    const starts = [
        0,
        ...Array.from(text.matchAll(/\r\n|\n|\r/g), (end) => end.index + end[0].length),
    ];
    const offset = ({ line, character }: TextEdit["range"]["start"]) => {
        const start = starts[line] ?? text.length;
        return Math.min(start + character, starts[line + 1] ?? text.length);
    };
    const sorted = edits
        .map(({ range, newText }) => ({
            start: offset(range.start),
            end: offset(range.end),
            newText,
        }))
        .sort((one, other) => one.start - other.start || one.end - other.end);
    let result = "";
    let last = 0;
    for (const { start, end, newText } of sorted) {
        if (start < last || end < start) {
            throw new NorthError("invalid-edits", "The language server's edits overlap.");
        }
        result += text.slice(last, start) + newText;
        last = end;
    }
    return result + text.slice(last);
}

function notOurs(file: string): NorthError {
    return new NorthError(
        "not-editable",
        `It is also used in ${file}, which is not part of the project.`
    );
}
