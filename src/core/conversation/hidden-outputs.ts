import { firstWords } from "../../base/format.js";
import type {
    AssistantEntry,
    ChangedFile,
    ChangeEntry,
    Entry,
    FileChange,
    HiddenContent,
    HiddenOutput,
    JsonValue,
    ToolResultEntry,
} from "../../plugin/index.js";
import type { ContentStore } from "./content-store.js";

/** Output that the transcript omits, newest first; read from the log and store on demand. */
export function hiddenOutputs(entries: readonly Entry[], contents: ContentStore): HiddenOutput[] {
    return entries.toReversed().flatMap((entry) => outputsOf(entry, contents));
}

function outputsOf(entry: Entry, contents: ContentStore): HiddenOutput[] {
    switch (entry.kind) {
        case "tool_result":
            return [...storedOutput(entry.intent, entry, contents), resultOf(entry)];
        case "command":
            return storedOutput(`${entry.name} ${entry.argumentsText}`, entry, contents);
        case "change":
        case "drafted":
            return [diffOf(entry, contents)];
        case "assistant":
            return thinkingIn(entry);
        case "user":
        case "review":
        case "host_note":
            return [];
        default:
            return entry satisfies never;
    }
}

function storedOutput(
    title: string,
    { wholeHash }: { readonly wholeHash?: string },
    contents: ContentStore
): HiddenOutput[] {
    if (wholeHash === undefined) return [];
    const read = async (): Promise<HiddenContent> => {
        const text = new TextDecoder().decode(await contents.get(wholeHash));
        return { kind: "text", text };
    };
    return [{ kind: "output", title, isCut: true, read }];
}

function resultOf({ intent, content }: ToolResultEntry): HiddenOutput {
    const read = async (): Promise<HiddenContent> => {
        const result: { data?: JsonValue; error?: JsonValue } = JSON.parse(content);
        return { kind: "json", value: result.data ?? result.error ?? null };
    };
    return { kind: "result", title: intent, isCut: false, read };
}

function thinkingIn({ content }: AssistantEntry): HiddenOutput[] {
    const thoughts = content.flatMap((part) => (part.type === "thinking" ? part.text : []));
    const text = thoughts.filter(Boolean).join("\n\n");
    if (text === "") return [];
    const title = firstWords(text.trim().split("\n", 1).join(""));
    return [{ kind: "thinking", title, isCut: false, read: async () => ({ kind: "text", text }) }];
}

function diffOf({ files }: Pick<ChangeEntry, "files">, contents: ContentStore): HiddenOutput {
    const title = files.map(({ path }) => path).join(", ");
    const read = async (): Promise<HiddenContent> => {
        const changes = await Promise.all(files.map((file) => changeOf(file, contents)));
        return { kind: "changes", changeSet: { changes } };
    };
    return { kind: "diff", title, isCut: false, read };
}

async function changeOf(file: ChangedFile, contents: ContentStore): Promise<FileChange> {
    const { path, type, beforeHash, afterHash } = file;
    const [before, after] = await Promise.all(
        [beforeHash, afterHash].map(async (hash) => (hash === null ? null : contents.get(hash)))
    );
    return { path, type, before: before ?? null, beforeHash, after: after ?? null };
}
